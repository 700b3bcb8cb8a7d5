/// The progress of a primary resource on its way to the cache.
///
/// The type of the primary data decides how it reads a resource. A resource that it accepts without
/// decoding the entity is still to be collected.
struct ResourceProgress {
    private enum State {
        case pending
        /// The entity is decoded, and the scope of the ingest has received it.
        case collected
        /// The entity can't be decoded.
        case malformed
        /// The last value that was read from the resource couldn't be decoded.
        case rejected
    }

    private var state = State.pending
    /// The number of successful reads.
    ///
    /// A value that reads nothing, such as one that skips an element, doesn't change the state.
    private var readCount = 0

    /// `true` if the entity is to be collected at the end.
    var isPending: Bool { state == .pending }

    mutating func countRead() { readCount += 1 }

    /// Rejects the resource because its entity has another type than a value.
    ///
    /// Unlike other errors, this one counts as a read: a type that tries one entity type after
    /// another can accept the resource nevertheless.
    mutating func recordMismatch() {
        reject()
        readCount += 1
    }

    mutating func markCollected() { state = .collected }

    mutating func recordMalformed() {
        if state != .collected { state = .malformed }
    }

    /// Records that a value that began at a state was decoded.
    mutating func accept(since start: ResourceProgress) {
        if state == .rejected, readCount > start.readCount { state = .pending }
    }

    /// Records that a value that began at a state couldn't be decoded.
    mutating func reject(since start: ResourceProgress) {
        reject()
        readCount = start.readCount
    }

    private mutating func reject() {
        if state == .pending { state = .rejected }
    }
}
