/// A policy for the buffer of a sequence whose consumer is slower than the commits.
///
/// ```swift
/// // A slow consumer skips old changes instead of falling behind.
/// for await change in cache.cached(Book.self, id: 1).changes(buffering: .newest(10)) {
///     print(change.version, change.kind)
/// }
/// ```
public enum BufferingPolicy: Hashable, Sendable {
    /// Keeps all elements, without limit.
    case unbounded
    /// Keeps at most this many elements. A new element replaces the oldest one.
    ///
    /// A number less than one is a programmer error and traps.
    case newest(Int)
    /// Keeps at most this many elements. A new element is dropped if the buffer is full.
    ///
    /// A number less than one is a programmer error and traps.
    case oldest(Int)

    /// The maximum number of buffered elements.
    var limit: Int {
        switch self {
        case .unbounded: .max
        case .newest(let limit), .oldest(let limit): limit
        }
    }
}
