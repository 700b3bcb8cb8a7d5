import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.exclusive)
struct LiveQueryFirstRunTests {
    let cache = Cache()

    init() { cache.set(contentsOf: (1...3).map { Book(id: $0) }) }

    /// Runs a closure while another thread holds the writers' lock.
    private func duringWrite(_ body: () -> Void) {
        let gate = Gate()
        let writer = RunningThread { [cache] in
            cache.performBatchUpdates { _ in gate.pass() }
        }
        #expect(blockUntil { gate.isReached })
        body()
        gate.open()
        #expect(writer.wait())
        #expect(cache.isSettled())
    }

    @Test("A token that ends before the cache adds it leaves no open snapshot")
    func cancelledToken() {
        let query = cache.query(Book.self)
        duringWrite { query.keepCurrent().dispose() }
        #expect(cache.core.clock.openSnapshotVersions.isEmpty)
        #expect(query.live.phase == .idle)
        let token = query.keepCurrent()
        cache.set(Book(id: 4))
        #expect(query.live.rows.count == 4)
        withExtendedLifetime(token) {}
    }

    @Test("An observation that ends before the first state leaves no open snapshot")
    func cancelledObservation() {
        let query = cache.query(Book.self)
        #expect(throws: CancellationError.self) {
            try cache.performBatchUpdates { _ in
                query.observeChanges { _ in }.dispose()
                throw CancellationError()
            }
        }
        #expect(cache.core.clock.openSnapshotVersions.isEmpty)
        #expect(query.live.phase == .idle)
    }

    @Test("A run in a commit makes runs of other threads unneeded")
    func runInCommit() {
        let query = cache.query(Book.self)
        let tokens = Recorder<Disposable>()
        duringWrite {
            // A former holder has begun the run, and ends while the cache adds the new one.
            _ = query.live.firstRun.withLock { $0.begin() }
            tokens.append(query.keepCurrent())
            _ = query.live.firstRun.withLock { $0.reset() }
        }
        #expect(query.live.phase == .current)
        tokens.append(query.keepCurrent())
        #expect(cache.core.clock.openSnapshotVersions.isEmpty)
    }

    @Test("A run from before the commits that a query records isn't used")
    func olderRun() throws {
        let query = cache.query(Book.self)
        // The holder of an older run has ended, but its snapshot isn't closed yet.
        let run = try #require(query.live.firstRun.withLock { $0.begin() })
        let version = cache.core.clock.openSnapshot()
        let scan = query.live.scan(in: cache.core, at: version, recordsReads: false)
        #expect(query.live.firstRun.withLock { $0.end(run, with: scan) })
        cache.set(Book(id: 4))
        let token = query.keepCurrent()
        #expect(query.ids == [1, 2, 3, 4])
        #expect(cache.core.clock.openSnapshotVersions.isEmpty)
        withExtendedLifetime(token) {}
    }

    @Test("A run that ends before the cache adds its token doesn't wait for the next commit")
    func runThatEndsInTheMiddleOfACommit() {
        let gate = Gate()
        let participant = cache.add(GatedRewriter(gate: gate))
        let writer = RunningThread { [cache] in cache.set(Book(id: 4)) }
        #expect(blockUntil { gate.isReached })
        // The commit has added the waiting registrations, and then finds the request of the run.
        let query = cache.query(Book.self)
        let token = query.keepCurrent()
        gate.open()
        #expect(writer.wait())
        #expect(cache.isSettled())
        #expect(query.live.phase == .current)
        #expect(query.live.rows.count == 4)
        #expect(cache.core.clock.openSnapshotVersions.isEmpty)
        withExtendedLifetime((participant, token)) {}
    }

    /// Runs a closure while another thread's first run waits at a gate.
    private func duringFirstRun(
        _ gate: Gate,
        _ keepCurrent: @escaping @Sendable () -> Disposable,
        _ body: () -> Void
    ) {
        let tokens = Recorder<Disposable>()
        let reader = RunningThread { tokens.append(keepCurrent()) }
        #expect(blockUntil { gate.isReached })
        body()
        gate.open()
        #expect(reader.wait())
        #expect(cache.isSettled())
    }

    /// Returns a query of the dated books whose first run waits at a gate.
    private func datedBooks(_ gate: Gate) -> CachedQuery<Book> {
        cache.query(Book.self).where { book in
            gate.pass()
            return book.year != nil
        }
    }

    @Test("An observer that registers during the commit of the first state learns of that commit")
    func observerDuringCommitOfFirstState() {
        let (runGate, commitGate) = (Gate(), Gate())
        let query = datedBooks(runGate)
        let (changes, tokens) = (Recorder<QueryChange<Book>>(), Recorder<Disposable>())
        let reader = RunningThread { tokens.append(query.keepCurrent()) }
        #expect(blockUntil { runGate.isReached })
        let participant = cache.add(GatedRewriter(gate: commitGate))
        let writer = RunningThread { [cache] in cache.set(Book(id: 4, year: 1)) }
        #expect(blockUntil { commitGate.isReached })
        runGate.open()
        #expect(reader.wait())
        tokens.append(query.observeChanges { changes.append($0) })
        commitGate.open()
        #expect(writer.wait())
        #expect(cache.isSettled())
        #expect(changes.all.map(\.oldIDs) == [[]])
        #expect(changes.all.map(\.ids) == [[4]])
        withExtendedLifetime(participant) {}
    }

    @Test("An observer that reads a version during the first run learns of later commits")
    func readDuringRun() {
        let gate = Gate()
        let query = datedBooks(gate)
        let (lists, tokens) = (Recorder<[Int]>(), Recorder<Disposable>())
        duringFirstRun(gate, query.keepCurrent) {
            cache.set(Book(id: 9, year: 1))
            tokens.append(query.observe(initial: true) { lists.append($0.map(\.id)) })
            cache.remove(Book.self, id: 9)
        }
        #expect(lists.all == [[9], []])
    }

    @Test("An aggregate that was read during the first run reports later commits")
    func aggregateDuringRun() {
        let gate = Gate()
        let count = datedBooks(gate).aggregate(.count)
        let (counts, tokens) = (Recorder<Int?>(), Recorder<Disposable>())
        duringFirstRun(gate, count.keepCurrent) {
            cache.set(Book(id: 9, year: 1))
            tokens.append(count.observe(initial: true) { counts.append($0) })
            cache.remove(Book.self, id: 9)
        }
        #expect(counts.all == [1, nil])
    }

    @Test("Commits that cancel each other out during the first run cause a call")
    func cancellingCommits() {
        let gate = Gate()
        let query = datedBooks(gate)
        let (lists, tokens) = (Recorder<[Int]>(), Recorder<Disposable>())
        duringFirstRun(gate, query.keepCurrent) {
            tokens.append(query.observe { lists.append($0.map(\.id)) })
            cache.set(Book(id: 9, year: 1))
            // Without a call, this list would stay on the screen.
            #expect(query.ids == [9])
            cache.remove(Book.self, id: 9)
        }
        #expect(lists.all == [[]])
    }

    @Test("Commits to an aggregate that cancel each other out cause a call")
    func cancellingCommitsToAggregate() {
        let gate = Gate()
        let count = datedBooks(gate).aggregate(.count)
        let (counts, tokens) = (Recorder<Int?>(), Recorder<Disposable>())
        duringFirstRun(gate, count.keepCurrent) {
            tokens.append(count.observe { counts.append($0) })
            cache.set(Book(id: 9, year: 1))
            #expect(count.value == 1)
            cache.remove(Book.self, id: 9)
        }
        #expect(counts.all == [nil])
    }

    @Test("Each observer's first change begins with the result at its own beginning")
    func observersOfDifferentVersions() {
        let gate = Gate()
        let query = datedBooks(gate)
        let tokens = Recorder<Disposable>()
        let changes = (0..<3).map { _ in Recorder<QueryChange<Book>>() }
        duringFirstRun(gate, query.keepCurrent) {
            for (index, changes) in changes.enumerated() {
                tokens.append(query.observeChanges { changes.append($0) })
                cache.set(Book(id: index, year: index))
            }
        }
        #expect(changes.map { $0.all.map(\.oldIDs) } == [[[]], [[0]], [[0, 1]]])
        #expect(changes.allSatisfy { $0.all.map(\.ids) == [[0, 1, 2]] })
        #expect(changes.allSatisfy { $0.all.allSatisfy(\.changedIDs.isEmpty) })
    }

    @Test("The first change includes the rows that read a changed entity")
    func joinedRows() {
        let gate = Gate()
        let query = cache.query(Book.self).where { book, cache in
            gate.pass()
            return book.author.flatMap { cache[$0] }?.name == "Lem"
        }
        cache.set(Book(id: 1, author: "lem"))
        let (changes, tokens) = (Recorder<QueryChange<Book>>(), Recorder<Disposable>())
        duringFirstRun(gate, query.keepCurrent) {
            cache.set(Author(id: "lem", name: "?"))
            tokens.append(query.observeChanges { changes.append($0) })
            cache.set(Author(id: "lem", name: "Lem"))
        }
        #expect(changes.all.map(\.oldIDs) == [[]])
        #expect(changes.all.map(\.ids) == [[1]])
        #expect(query.ids == [1])
    }
}

/// A participant that waits at a gate in the middle of the first commit.
private final class GatedRewriter: CommitRewriter {
    private let gate: Gate

    init(gate: Gate) { self.gate = gate }

    func rewrite(_ commit: inout Commit) { gate.pass() }
}
