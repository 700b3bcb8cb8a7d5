#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

// These methods write the last changes of a cache that has been deallocated, or from which the
// graph is detached.
extension GraphEngine {
    /// Writes the last changes of a cache that has been deallocated.
    func close(_ recorder: GraphRecorder) async {
        takeLastChanges(of: recorder)
        // No change of the cache schedules another flush, so the engine tries for a minute.
        for _ in 0..<60 {
            do throws(SQLiteGraphError) {
                return try await waitingForLock { () throws(SQLiteGraphError) in
                    try writeLastChanges()
                }
            } catch {
                onError(error)
            }
            await clock.beginInterval(Self.retryInterval)()
        }
    }

    /// Takes the last changes of a cache, unless a flush has taken them.
    func takeLastChanges(of recorder: GraphRecorder) {
        guard let changes = recorder.takeLastChanges() else { return }
        keep(changes)
        if attachment?.recorder === recorder { attachment = nil }
    }

    /// Keeps the last changes of a cache until they're written.
    private func keep(_ changes: [any TypeChanges]) {
        // Without changes, the file need not be opened or created.
        guard mustWrite(changes) else { return }
        lastChanges.append(LastChanges(changes: changes, time: WallTime(wallClock())))
    }

    /// Ends the connection to a cache, and keeps the commits since the latest flush as its last
    /// changes.
    func endRecording(of attachment: Attachment) {
        let journals = attachment.changes
        let changes = attachment.access.withSnapshot(taking: journals, endsJournals: true) {
            readChanges(of: attachment, in: $0)
        }
        if attachment.access.confirm(journals) {
            keep(changes)
            self.attachment = nil
        } else {
            takeLastChanges(of: attachment.recorder)
        }
        for token in attachment.tokens { token.dispose() }
    }

    /// Writes the last changes of detached caches and of caches that have been deallocated, if any
    /// are left.
    ///
    /// A suspended graph opens its file for them, and closes it again.
    func writeLastChanges() throws(SQLiteGraphError) {
        let wasSuspended = isSuspended
        defer { if wasSuspended, !isSuspended { closeFile() } }
        var isRepeated = false
        while !lastChanges.isEmpty {
            do throws(SQLiteGraphError) {
                try openFile()
                if database.isLost { try attachAgain() }
                let outcome = try database.transaction { () throws(SQLiteGraphError) in
                    try checkContent()
                    return try writeRows(of: try mergedWithRows(lastChanges[0]))
                }
                endFlush(outcome)
                lastChanges.removeFirst()
            } catch {
                endFailedWriting()
                guard try recover(from: error), !isRepeated else { throw error }
                isRepeated = true
            }
        }
    }

    private func mergedWithRows(_ last: LastChanges) throws(SQLiteGraphError) -> [any TypeChanges] {
        let elapsed = WallTime(wallClock()).age(of: last.time.milliseconds)
        let (records, isComplete) =
            try importedNumber.map { (number) throws(SQLiteGraphError) in
                try database.log.recordsLeft(after: number)
            } ?? ([], true)
        var merged: [any TypeChanges] = []
        for (table, changes) in zip(tables, last.changes) {
            let others = ChangesOfOthers(records, isComplete: isComplete, of: table.name)
            merged.append(try table.mergedWithRows(changes, others, after: elapsed))
        }
        return merged
    }
}
#endif
