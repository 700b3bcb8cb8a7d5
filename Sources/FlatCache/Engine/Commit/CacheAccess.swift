/// The access of a participant to its cache, which the access doesn't keep alive.
///
/// A cache retains its participants, so a participant must not retain the cache. After the cache
/// has been deallocated, there is nothing to read, and nothing that is written remains.
@usableFromInline
package struct CacheAccess: Sendable {
    @usableFromInline let core: CacheCore
    @usableFromInline let participant: ObjectIdentifier

    /// Creates the access of a participant.
    package init(_ participant: some CommitParticipant, to cache: Cache) {
        core = cache.core
        self.participant = ObjectIdentifier(participant)
    }

    /// A Boolean value that indicates whether the cache has been deallocated.
    package var isClosed: Bool { core.isClosed }

    /// The time of the cache's clock.
    package var now: CacheInstant { CacheInstant(core.policies.timeline.now) }

    /// Returns whether the values of a type expire or become stale, so that their ages matter.
    package func isTimed<Value: Identifiable & Sendable>(
        _ type: Value.Type
    ) -> Bool where Value.ID: Sendable {
        core.withWriterLock("isTimed(_:)") { _ in core.tables.table(of: type).isTimed }
    }
}
