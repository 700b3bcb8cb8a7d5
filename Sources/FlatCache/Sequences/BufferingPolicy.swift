/// What a sequence keeps for a consumer that is slower than the commits.
public enum BufferingPolicy: Hashable, Sendable {
    /// Everything, in memory without bound.
    case unbounded
    /// At most this many elements: a new one takes the place of the oldest.
    ///
    /// Less than one is a programmer's error and traps.
    case newest(Int)
    /// At most this many elements: a new one that finds no room is dropped.
    ///
    /// Less than one is a programmer's error and traps.
    case oldest(Int)

    /// How many elements are kept at most.
    var limit: Int {
        switch self {
        case .unbounded: .max
        case .newest(let limit), .oldest(let limit): limit
        }
    }
}
