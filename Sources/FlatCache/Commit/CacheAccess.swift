import Synchronization

/// The access of a participant to its cache that doesn't keep the cache alive.
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

    /// `true` if the cache has been deallocated.
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

extension CacheAccess {
    /// The relation of a participant's transaction to the loads that run.
    package enum WriteMode: Sendable {
        /// The transaction restores values that are older than the answers of all loads.
        case restoring
        /// The transaction writes new values that late answers of loads don't replace.
        case writing
    }

    /// Writes entities in one transaction, whose origin is the participant.
    ///
    /// - Parameters:
    ///   - mode: The relation of the transaction to the loads that run.
    ///   - body: A closure that writes. It runs under the writers' lock, and may read the cache.
    /// - Precondition: The calling thread isn't in the middle of a write.
    @discardableResult
    package func write<Result>(
        _ mode: WriteMode,
        _ body: (ParticipantTransaction) -> Result
    ) -> Result {
        precondition(
            !core.writerLock.isHeldByCurrentThread,
            "A participant can't write in the middle of another write to its cache."
        )
        return core.write(mode == .restoring ? "restore" : "import") { writer in
            writer.author = participant
            writer.isRestoring = mode == .restoring
            return body(ParticipantTransaction(core))
        }
    }

    /// Calls a closure that reads the participant's storage and restores the values.
    ///
    /// Removals and invalidations that the participant writes to the storage in the meantime still
    /// apply to the values that the closure restores.
    package func withRead<Result, Failure: Error>(
        of journals: [any AnyChangeJournal],
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        core.withWriterLock("withRead(of:_:)") { _ in
            for journal in journals { journal.beginReading() }
        }
        defer {
            core.deferWork { work in
                work.ended.append { _ in for journal in journals { journal.endReading() } }
            }
        }
        return try await body()
    }
}

extension CacheAccess {
    /// Makes loads and observations of missing entities ask a source.
    ///
    /// - Parameters:
    ///   - source: The source. The cache retains it until the token ends.
    ///   - types: The types of its entities. They have no other source. A source with a journal
    ///     of requests names `RequestState`.
    /// - Returns: The token that removes the source.
    package func add(_ source: any EntitySource, of types: [Any.Type]) -> Disposable {
        let number = core.nextRegistration()
        let types = types.map { ObjectIdentifier($0) }
        core.sources.withLock { $0.set(source, of: types, number: number) }
        core.asksSources.store(true, ordering: .sequentiallyConsistent)
        // Entities that are observed already may be missing.
        core.register(
            PendingRegistration(add: { [unowned core] _ in core.recordMissingEntities() }),
            "add(_:of:)"
        )
        return Disposable { [core] in
            let removed = core.sources.withLock { $0.remove(number) }
            withExtendedLifetime(removed) {}
        }
    }
}
