extension CacheAccess {
    /// The relation of a participant's transaction to the loads that run.
    package enum WriteMode: Sendable {
        /// The transaction restores earlier values, which are older than the answers of all loads.
        case restoring
        /// The transaction writes new values, which late answers of loads don't replace.
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
