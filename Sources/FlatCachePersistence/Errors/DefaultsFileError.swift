/// An error that reports that the file of a defaults domain isn't a valid property list of values.
///
/// The library neither reads nor overwrites such a file: repair it, or move it away. Plain
/// `UserDefaults` calls treat it as empty. Foundation overwrites it when it next saves values that
/// plain calls have set, and it saves all domains at once.
public struct DefaultsFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the file.
    public let path: String

    /// The reason why the file isn't valid.
    public let underlying: PropertyListError

    /// A sentence that names the file and the reason.
    public var description: String {
        "The defaults in \(path) aren't valid and were left unchanged. \(underlying)"
    }
}
