/// A storage that can keep a copy of a corrupt value, so that another value may replace it.
///
/// ```swift
/// // The file contains text that isn't JSON.
/// if let copy = try FileStorage().keepCorruptValue(for: draftFile) {
///     print("The corrupt draft is kept in \(copy).")
/// }
/// ```
///
/// ``DefaultValuePersistBehaviour/persistOnError`` overwrites a corrupt value only after the
/// storage has kept a copy.
public protocol CorruptValueKeeping<Key, Value>: Storage {
    /// Keeps a copy of the stored value beside it.
    ///
    /// - Parameter key: The value's key.
    /// - Returns: The location of the copy, for a message; `nil` if there is no value.
    /// - Throws: An error if the copy could not be kept.
    func keepCorruptValue(for key: Key) throws -> String?
}
