import Foundation

/// A storage that can put aside what could not be understood, so that something else may take its place.
///
/// ``DefaultValuePersistBehaviour/persistOnError`` overwrites such a value only where it has been kept.
public protocol CorruptValueKeeping<Key, Value>: Storage {
    /// Keeps a copy of the value that is stored, beside it.
    ///
    /// - Parameter key: The value's key.
    /// - Returns: Where the copy is, for a message; `nil` if there is no value.
    /// - Throws: If it could not be kept.
    func keepCorruptValue(for key: Key) throws -> String?
}

/// Returns the end of the name of a corrupt value's copy: "corrupt-" and the time, in Universal
/// Time.
func corruptMarker() -> String {
    let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
    return "corrupt-\(Date.now.formatted(style))"
}

/// Returns a marker for a storage that replaces a value of the same key without a question: each
/// differs from all others, also those of another process within the same second.
func uniqueCorruptMarker() -> String {
    let number = UInt64.random(in: 0...(1 << 41))
    return "\(corruptMarker())-\(String(number, radix: 36))"
}
