import Foundation

/// A storage that can keep a copy of a corrupt value, so that another value may replace it.
///
/// ``DefaultValuePersistBehaviour/persistOnError`` overwrites a corrupt value only if a copy was
/// kept.
public protocol CorruptValueKeeping<Key, Value>: Storage {
    /// Keeps a copy of the stored value beside it.
    ///
    /// - Parameter key: The value's key.
    /// - Returns: The place of the copy, for a message; `nil` if there is no value.
    /// - Throws: An error if the copy could not be kept.
    func keepCorruptValue(for key: Key) throws -> String?
}

/// Returns the suffix for the name of a corrupt value's copy: "corrupt-" and the time, in Universal
/// Time.
func corruptMarker() -> String {
    let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
    return "corrupt-\(Date.now.formatted(style))"
}

/// Returns a marker for a storage that replaces a value of the same key without a warning.
///
/// Each marker is unique, even among processes within the same second.
func uniqueCorruptMarker() -> String {
    let number = UInt64.random(in: 0...(1 << 41))
    return "\(corruptMarker())-\(String(number, radix: 36))"
}
