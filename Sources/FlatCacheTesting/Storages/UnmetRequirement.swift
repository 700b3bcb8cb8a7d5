/// The observed behavior of a storage that doesn't meet a requirement.
struct UnmetRequirement: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// Returns the description of a value, or "nil".
    static func text(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "nil" }
}
