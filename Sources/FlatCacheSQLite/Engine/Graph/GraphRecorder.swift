#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache
import Foundation

/// The participant that connects a cache to its graph.
///
/// The cache retains it, and with it the engine, until the graph is detached or the cache is
/// deallocated.
final class GraphRecorder: CommitRecorder, EntitySource {
    private let engine: GraphEngine
    private let gate: ReadingGate
    /// The access and the journals, created after the recorder.
    private let attachment = Locked<(CacheAccess, [TypeJournal])?>(nil)
    /// The last changes of a cache that has been deallocated, until the engine takes them.
    private let lastChanges = Locked<[any TypeChanges]?>(nil)

    init(_ engine: GraphEngine, _ gate: ReadingGate) {
        self.engine = engine
        self.gate = gate
    }

    func setJournals(_ access: CacheAccess, _ types: [TypeJournal]) {
        attachment.withLock { $0 = (access, types) }
    }

    func restore(_ keys: [CacheKey]) async { await engine.restore(keys) }

    func restoreResponse<Response: Sendable>(of request: String, as type: Response.Type) async {
        await engine.restoreResponse(of: request, as: type)
    }

    /// Journals list the changes.
    func record(_ commit: inout Commit) {}

    /// Takes the last changes of a cache that has been deallocated, under the writers' lock.
    func end() {
        guard let (access, types) = attachment.withLock({ $0.take() }) else { return }
        let journals = types.map(\.journal)
        // A flush that has taken changes reads them without needing the writers' lock.
        gate.waitForEnd()
        access.putBack(journals)
        let changes = access.withSnapshot(taking: journals) { snapshot in
            types.map { $0.takenChanges(snapshot) }
        }
        lastChanges.withLock { $0 = changes }
        perturbThread()
        Task { [engine] in await engine.close(self) }
    }

    /// Returns the last changes of the cache, if it has been deallocated, and forgets them.
    func takeLastChanges() -> [any TypeChanges]? { lastChanges.withLock { $0.take() } }
}

/// A gate that is closed while a flush reads the values of a snapshot.
final class ReadingGate: @unchecked Sendable {
    private let condition = NSCondition()
    // Guarded by `condition`.
    private var reader: Thread?

    func begin() { setReader(.current) }

    func end() { setReader(nil) }

    private func setReader(_ thread: Thread?) {
        condition.lock()
        reader = thread
        condition.broadcast()
        condition.unlock()
    }

    /// Waits until no flush of another thread reads.
    ///
    /// The flush's own thread can end the cache, and must not wait for itself.
    func waitForEnd() {
        condition.lock()
        while let reader, reader !== Thread.current { condition.wait() }
        condition.unlock()
    }
}
#endif
