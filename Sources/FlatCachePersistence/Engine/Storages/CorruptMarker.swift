import Foundation

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
