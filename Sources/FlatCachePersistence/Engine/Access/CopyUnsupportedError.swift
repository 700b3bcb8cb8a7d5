/// An error for a storage that can't copy corrupt values.
struct CopyUnsupportedError: Error, CustomStringConvertible {
    /// The protocol or method that the storage lacks.
    let missing: String

    var description: String { "the storage can't keep a copy: it doesn't support \(missing)" }
}
