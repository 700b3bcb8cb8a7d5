import FlatCache

@testable import FlatCacheTestSupport

/// The change that an observer of a `StressEntity` received.
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

/// One call of an observer, as the observer recorded it.
struct StressCall: Sendable {
    /// The received change; a call of an observer of values sets only `new`.
    let event: StressEvent
    /// The times on the logical clock at which the call began and ended.
    let start: Int
    var end: Int?
}
