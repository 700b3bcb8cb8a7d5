/// Says that the file of a defaults domain holds something else than its values.
///
/// Such a file is read by nobody and overwritten by nobody here: repair it, or move it away. Plain
/// `UserDefaults` take it for an empty one, and overwrite it when Foundation next saves what they have set,
/// which it does for all domains at once.
public struct DefaultsFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the file.
    public let path: String

    /// What is wrong with it.
    public let underlying: PropertyListError

    /// A sentence that names the file and what is wrong with it.
    public var description: String {
        "The defaults in \(path) cannot be understood, and are left as they are. \(underlying)"
    }
}
