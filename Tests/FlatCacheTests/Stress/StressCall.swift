import FlatCache

/// What an observer of a spark is told.
struct StressEvent: Equatable, Sendable {
    var kind: EntityChange<StressEntity>.Kind
    var old: StressEntity?
    var new: StressEntity?
    var causes: StressEntityIDs
    var version: UInt64
}

extension StressEvent: CustomStringConvertible {
    var description: String {
        let values = [old, new].map { $0?.description ?? "nothing" }.joined(separator: " to ")
        return "\(kind) from \(values) by \(causes.all) in \(version)"
    }
}

/// One call of an observer of sparks, as the observer has noted it.
struct StressCall: Sendable {
    /// What it was told; only `new` counts for an observer of values.
    let event: StressEvent
    /// When it began and when it ended, on the logical clock.
    let start: Int
    var end: Int?
}
