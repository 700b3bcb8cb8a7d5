#if canImport(CPostgres)
import FlatCache

extension PostgresGraph {
    /// Runs a closure that reads and changes entities, and commits its changes in one transaction
    /// of the database.
    ///
    /// ```swift
    /// import FlatCachePostgres
    ///
    /// struct SoldOut: Error {}
    ///
    /// func sell(_ graph: PostgresGraph) async throws {
    ///     try await graph.write { batch in
    ///         guard var book = try await batch.get(Book.self, id: 1), book.copies > 0 else {
    ///             throw SoldOut()
    ///         }
    ///         book.copies -= 1
    ///         batch.set(book)
    ///     }
    /// }
    /// ```
    ///
    /// The closure reads memory. If another write has changed a row that this one writes since it
    /// was read, nothing is written, and the closure runs again. If the closure writes nothing or
    /// throws, its reads are compared with the database before, so that no decision depends on old
    /// memory. Rows that are only read by a closure that writes others aren't compared.
    ///
    /// When the method returns, the write is committed in the database, and this node's cache shows
    /// it, unless ``WriteReceipt/isShown`` is `false`. After the commit, the method doesn't throw,
    /// not even if its task is cancelled.
    ///
    /// - Parameters:
    ///   - attempts: The number of times that the closure may run.
    ///   - body: A closure that reads and writes. It runs once per attempt, in the calling task.
    /// - Returns: The receipt of the write, with the closure's result.
    /// - Throws: The closure's error; ``PostgresGraphError``, such as `.conflict` after the last
    ///   attempt, and `.disconnected` before ``attach(to:)``; or `CancellationError` between two
    ///   attempts. If the closure throws and its reads can't be compared, the method throws the
    ///   error of the comparison instead. Nothing is committed then, except possibly after
    ///   `.unknownOutcome`.
    @discardableResult
    public func write<Value: Sendable>(
        attempts: Int = 20,
        _ body: @Sendable (GraphBatch) async throws -> Value
    ) async throws -> WriteReceipt<Value> {
        precondition(attempts > 0, "A write needs one attempt or more.")
        guard let access = access.withLock(\.self) else {
            throw PostgresGraphError(.disconnected, "The graph isn't attached to a cache.")
        }
        let number = activeWrites.begin()
        defer { activeWrites.finish(number) }
        var lastConflict: PostgresGraphError?
        var lastKeys: [CacheKey] = []
        /// The keys of the rows that existed before the present attempt.
        var present: Set<CacheKey> = []
        for attempt in 0..<attempts {
            if attempt > 0 {
                engine.monitor.record(.conflict(keys: lastKeys))
                // Brooker, "Exponential Backoff And Jitter" (2015): many writes to one row come
                // through one after another, each in a few attempts.
                let longest = Double(1 << min(attempt, 9))
                try await Task.sleep(for: .milliseconds(1) * Double.random(in: 0...longest))
                // Whatever memory shows of these rows, it isn't what the database has.
                present = Set(try await engine.rows(of: lastKeys).keys)
            }
            let batch = GraphBatch(engine, access, tablesByType)
            let history = try await engine.currentHistory()
            let value: Value
            do {
                defer {
                    batch.end()
                    lastKeys = batch.readKeys + batch.writtenKeys
                }
                value = try await body(batch)
            } catch {
                if try await isValid(batch) { throw error }
                continue
            }
            if batch.isOutdated { continue }
            let repeated = batch.unreadInsertions.filter(present.contains)
            if !repeated.isEmpty {
                throw PostgresGraphError(
                    .conflict,
                    keys: repeated,
                    "The row exists already: read it by get(_:id:), and set it."
                )
            }
            if batch.isEmpty {
                guard try await isValid(batch) else { continue }
                let position = try await engine.currentPosition()
                // A crash may lose the latest transaction if it has only notified, and no record.
                let latest = position.latestRecord?.transaction ?? 0
                return WriteReceipt(value, position.history, latest, isShown: true)
            }
            let plan = try batch.plan()
            do {
                let transaction = try await writers.withConnection { connection in
                    try await connection.commit(plan, in: history)
                }
                let isShown = await show(plan, transaction, of: history)
                return WriteReceipt(value, history, transaction, isShown: isShown)
            } catch let error as PostgresGraphError where error.kind == .conflict {
                lastConflict = error
            }
        }
        throw PostgresGraphError(
            .conflict,
            keys: Array(Set(lastKeys)).sorted { "\($0)" < "\($1)" },
            "\(attempts) attempts have met other writes: "
                + (lastConflict?.reason ?? "Rows that the closure read were changed."),
            sqlState: lastConflict?.sqlState,
            constraint: lastConflict?.constraint,
            underlyingError: lastConflict
        )
    }

    /// Returns whether the rows that a batch has read are still current in the database.
    private func isValid(_ batch: GraphBatch) async throws(PostgresGraphError) -> Bool {
        // Absent rows concern memory, too.
        let found = try await engine.rows(of: batch.readKeys)
        return !batch.isOutdated && batch.isCurrent(in: found)
    }

    /// Notifies the other nodes of a committed write, and imports it; returns whether the cache
    /// shows it.
    private func show(
        _ plan: WritePlan,
        _ transaction: UInt64,
        of history: History
    ) async -> Bool {
        var keys: [String: Set<String>] = [:]
        for change in plan.changes {
            keys[change.table] = Set(change.storedIDs + change.removedIDs)
        }
        let time = engine.configuration.showingTime
        let found = try? await engine.synchronize(reading: keys, notifying: true, within: time)
        guard let position = found?.position else { return false }
        return position.history == history && position.cursor.shows(transaction)
    }

    /// Waits until this node's cache shows a write of any node.
    ///
    /// Pass the token of a client's last write, so that its next request sees that write, whichever
    /// node answers it.
    ///
    /// - Parameters:
    ///   - token: The token of a ``WriteReceipt``.
    ///   - timeout: The time after which the method gives up.
    /// - Throws: ``PostgresGraphError`` of the kinds `.timeout`, `.otherHistory` and
    ///   `.malformedToken`, the error with which reading the database failed, or
    ///   `CancellationError`.
    public func wait(for token: String, timeout: Duration) async throws {
        let token = try WriteToken(token)
        let deadline = ContinuousClock.now + timeout
        while true {
            let left = max(.milliseconds(1), deadline - .now)
            let position: ReplicationEngine.Position
            do throws(PostgresGraphError) {
                position = try await engine.synchronize(within: left).position
            } catch {
                try Task.checkCancellation()
                throw error
            }
            // A write is committed before its token is known.
            guard position.history.incarnation == token.incarnation,
                token.transaction < position.cursor.xmax
            else {
                throw PostgresGraphError(
                    .otherHistory,
                    "The token belongs to another database, or to the time before a restore or a "
                        + "failover."
                )
            }
            if position.cursor.shows(token.transaction) { return }
            guard ContinuousClock.now < deadline else {
                throw PostgresGraphError(.timeout, "The write isn't visible after \(timeout).")
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
#endif
