/// A record that the probe writes, with its writer, a number and padding.
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
