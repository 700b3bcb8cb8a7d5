/// What the probe writes: who, how often, and as much of it as is asked for.
package struct ProbeRecord: Codable, Hashable, Sendable {
    package var writer: String
    package var step: Int
    package var padding: String

    package init(writer: String, step: Int, padding: String = "") {
        self.writer = writer
        self.step = step
        self.padding = padding
    }
}
