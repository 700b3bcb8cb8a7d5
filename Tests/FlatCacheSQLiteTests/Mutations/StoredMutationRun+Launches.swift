import FlatCache
import FlatCacheFoundation
import FlatCacheTesting
import Foundation
import TestSupport
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

// The operations on the file and on the launches.
extension StoredMutationRun {
    /// Stores the commits of all launches, and shows them to each other.
    mutating func storeAll() async throws {
        for launch in launches + launches { try await launch.base.graph.flush() }
        states = [state]
    }

    mutating func flush() async throws {
        if isSuspended { return }
        record("flush")
        try await storeAll()
    }

    mutating func changeSuspension() async throws {
        if launches.count > 1 { return }
        record(isSuspended ? "resume" : "suspend")
        isSuspended.toggle()
        if isSuspended {
            try await launches[0].base.graph.suspend()
        } else {
            try await launches[0].base.graph.resume()
            for submission in submissions { try await submission.value }
            submissions = []
        }
        states = []
    }

    /// Leaves the books in the file, and a mutation that no launch of the run may show or remove.
    func leave() async throws {
        let launch = try MutationLaunch(in: folder)
        let queue = try await launch.pausedQueue(account: "you")
        try await queue.submit(Retitle(book: 1, title: "foreign"))
        for (id, title) in state.confirmed { launch.cache.set(Book(id: id, title: title)) }
        try await launch.graph.detach()
    }

    func differenceOfOtherAccount() throws -> String? {
        let ids = try folder.run("SELECT id FROM flatcache_mutations WHERE id LIKE '3:you/%'")
        return ids.count == 1 ? nil : "The file has the mutations \(ids) of the other account."
    }

    mutating func launch() async throws {
        let base = try MutationLaunch(in: folder, wallClock: wallClock)
        let queue = try await base.queue {
            EditTitle.self
            CreateBook.self
        }
        launches.append(OracleLaunch(base: base, queue: queue))
    }

    /// Begins or ends a second launch, or lets the other one send.
    mutating func changeLaunches() async throws {
        if isSuspended { return }
        if launches.count == 1 {
            record("second launch")
            try await launches[0].stopSending(state)
            try await storeAll()
            try await launch()
            sender = 1
        } else if generator.below(2) == 0 {
            record("other sender")
            try await launches[sender].stopSending(state)
            try await storeAll()
            sender = 1 - sender
            try await launches[sender].resume()
        } else {
            record("end of a launch")
            try await storeAll()
            try await launches.remove(at: 1 - sender).base.graph.detach()
            sender = 0
        }
    }

    /// Ends all launches, and begins another one; returns a difference.
    mutating func restart() async throws -> String? {
        let isCrash = generator.below(2) == 0
        record(isCrash ? "crash" : "relaunch")
        var file = folder
        if isCrash {
            // A copy of the file lacks the commits that weren't written.
            file = try GraphFolder()
            try folder.run("VACUUM INTO '\(file.url.path)'")
        }
        try await end()
        (launches, sender, folder) = ([], 0, file)
        (submissions, isSuspended) = ([], false)
        let isLeased = isCrash && (try? file.run("SELECT 1 FROM flatcache_sender")) == ["1"]
        if !isLeased { wallClock.advance(by: .seconds(10)) }
        try await launch()
        let found = launches[0].content
        let possible = isCrash ? states : [state]
        guard let last = possible.last(where: { $0.content == found }) else {
            return "The file has \(found) instead of \(possible.map(\.content))."
        }
        if last != state { record("unwritten change") }
        (state, states) = (last, [])
        return isLeased ? await waitForLease() : nil
    }

    /// Waits until the lease of a launch that has crashed expires; returns a difference.
    private mutating func waitForLease() async -> String? {
        let scopeCount = Set(state.pending.map(\.scope)).count
        let launch = launches[0].base
        guard scopeCount > 0 else {
            wallClock.advance(by: .seconds(10))
            return nil
        }
        record("lease of a crash")
        _ = await until(limit: modelStepTime) {
            launch.clock.sleeperCount == scopeCount || !launch.server.log.isEmpty
        }
        if !launch.server.log.isEmpty { return "Two launches send: \(launch.server.log)" }
        wallClock.advance(by: .seconds(10))
        launch.clock.advance(by: .seconds(1))
        return nil
    }
}

/// A launch, and the mutations that the reference expects it to send.
struct OracleLaunch {
    let base: MutationLaunch
    let queue: MutationQueue<StubServer>
    var isPaused = false
    /// The keys of the mutations that wait for the file.
    private var waiting: Set<UUID> = []
    /// The keys of the mutations whose requests have no answer.
    private(set) var sent: Set<UUID> = []
    /// The keys of the mutations in the pauses after their failures.
    private(set) var pausing: Set<UUID> = []
    /// The number of mutations that were reported as rolled back.
    var reported = 0
    /// All requests up to now.
    private var requests: Set<String> = []
    /// The contents that an observer has found.
    private let contents: Recorder<OracleState.Content>
    private let observation: Disposable

    init(base: MutationLaunch, queue: MutationQueue<StubServer>) {
        self.base = base
        self.queue = queue
        let contents = Recorder<OracleState.Content>()
        let (cache, pending) = (base.cache, queue.pending)
        observation = cache.observeAll(Book.self) { [unowned cache] _ in
            contents.append(OracleState.Content(cache, pending))
        }
        self.contents = contents
    }

    /// Forgets mutations that have ended.
    mutating func keep(_ keys: Set<UUID>) {
        waiting.formIntersection(keys)
        sent.formIntersection(keys)
        pausing.formIntersection(keys)
    }

    /// Begins to send the first mutation of each scope, unless the queue is paused.
    mutating func beginAttempts(_ pending: [OracleMutation], isSuspended: Bool) {
        if !isPaused {
            let active = waiting.union(sent).union(pausing)
            var scopes = Set(pending.filter { active.contains($0.key) }.map(\.scope))
            for mutation in pending where scopes.insert(mutation.scope).inserted {
                waiting.insert(mutation.key)
            }
        }
        if isSuspended { return }
        if !isPaused { sent.formUnion(waiting) }
        waiting = []
        requests.formUnion(pending.filter { sent.contains($0.key) }.map(\.request))
    }

    mutating func cancel(_ mutation: OracleMutation) {
        sent.remove(mutation.key)
        pausing.insert(mutation.key)
        base.server.answer(mutation.request, with: .failure(CancellationError()))
    }

    mutating func endPause(of mutation: OracleMutation) {
        pausing.remove(mutation.key)
        waiting.insert(mutation.key)
    }

    mutating func endPauses() {
        waiting.formUnion(pausing)
        pausing = []
    }

    func waitForPauses() async throws {
        let hasPaused = await until(limit: modelStepTime) {
            base.clock.sleeperCount == pausing.count
        }
        try #require(hasPaused, "\(base.clock.sleeperCount) sleep instead of \(pausing.count).")
    }

    mutating func pause() {
        isPaused = true
        queue.pause()
    }

    mutating func resume() async throws {
        try await waitForPauses()
        endPauses()
        isPaused = false
        queue.resume()
    }

    /// Pauses the queue, and ends the requests, after which the launch holds no lease.
    mutating func stopSending(_ state: OracleState) async throws {
        pause()
        for mutation in state.pending where sent.contains(mutation.key) { cancel(mutation) }
        try await waitForPauses()
        let isEnded = await until(base.graph) {
            $0.mutations.attemptCount == 0 && !$0.mutations.holdsLease
        }
        try #require(isEnded, "The launch holds the lease.")
    }

    var content: OracleState.Content { OracleState.Content(base.cache, queue.pending) }

    func difference(
        from state: OracleState,
        known: [OracleState.Content]
    ) async -> String? {
        let expected = state.pending.filter { sent.contains($0.key) }.map(\.request).sorted()
        let (server, count) = (base.server, sent.count)
        _ = await until(limit: modelStepTime) {
            server.waiting.sorted() == expected || !requests.isSuperset(of: server.log)
        }
        if server.waiting.sorted() != expected {
            return "The server has \(server.waiting) instead of \(expected)."
        }
        guard await until(limit: modelStepTime, { content == state.content })
        else { return "The cache has \(content) instead of \(state.content)." }
        guard await until(limit: modelStepTime, { base.rolledBack.count == reported })
        else { return "\(reported) mutations were rolled back: \(base.rolledBack.all)" }
        // A step is one commit, so an observer finds no other content.
        if let other = contents.all.first(where: { !known.contains($0) }) {
            return "An observer has found \(other) before \(state.content)."
        }
        contents.removeAll()
        let visible = { base.cache.values(of: Book.self).titles }
        guard await until(limit: modelStepTime, { visible() == state.shown })
        else { return "The cache shows \(visible()) instead of \(state.shown)." }
        let isAgreed = await until(base.graph) {
            $0.mutations.attemptCount == count && (count > 0 || !$0.mutations.holdsLease)
        }
        if !isAgreed { return "\(count) attempts don't hold the lease." }
        return base.diagnostics.all.isEmpty ? nil : "\(base.diagnostics.all)"
    }
}

extension [Book] {
    fileprivate var titles: [Int: String] {
        Dictionary(uniqueKeysWithValues: map { ($0.id, $0.title) })
    }
}

extension OracleState.Content {
    init(_ cache: Cache, _ pending: CachedQuery<PendingMutation>) {
        self.init(
            confirmed: cache.confirmed.values(of: Book.self).titles,
            ids: pending.elements.map(\.id)
        )
    }
}
