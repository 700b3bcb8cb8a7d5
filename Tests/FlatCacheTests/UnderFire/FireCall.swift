import FlatCache

/// What an observer of a spark is told.
struct FireEvent: Equatable, Sendable {
    var kind: EntityChange<Spark>.Kind
    var old: Spark?
    var new: Spark?
    var causes: SparkIDs
    var version: UInt64
}

extension FireEvent: CustomStringConvertible {
    var description: String {
        let values = [old, new].map { $0?.description ?? "nothing" }.joined(separator: " to ")
        return "\(kind) from \(values) by \(causes.all) in \(version)"
    }
}

/// One call of an observer of sparks, as the observer has noted it.
struct FireCall: Sendable {
    /// What it was told; only `new` counts for an observer of values.
    let event: FireEvent
    /// When it began and when it ended, on the logical clock.
    let start: Int
    var end: Int?
}
