import FlatCache
import FlatCacheSQLite
import Foundation

/// The commands of the probe for the file of a graph.
struct GraphProbe {
    let path: String

    private func graph(flushInterval: Duration) throws -> SQLiteGraph {
        try SQLiteGraph(
            URL(fileURLWithPath: path),
            flushInterval: flushInterval,
            onError: { say("error: \($0.kind)") },
            types: {
                Durable(ProbeCell.self, "cell", load: .atStart)
                Durable(ProbeEntry.self, "entry")
                DurableList(ProbeEntry.listName, of: ProbeEntry.self)
            }
        )
    }

    /// Commits steps until the process is killed, and prints each step that a flush has confirmed.
    func commitForever(seed: UInt64) async throws {
        let cache = Cache()
        let graph = try graph(flushInterval: .milliseconds(1))
        try await graph.attach(to: cache)
        var step = cache[ProbeCell.self, 0]?.step ?? 0
        var random = seed
        say("ready")
        while true {
            step += 1
            cache.performBatchUpdates { batch in
                for id in 0..<ProbeCell.count { batch.set(ProbeCell(id: id, step: step)) }
                batch.set(ProbeEntry(id: step, text: "The entry of step \(step)"))
                if step % 3 == 0 { batch.remove(ProbeEntry.self, id: step - 2) }
                let latest = batch.list(ProbeEntry.listName, of: ProbeEntry.self)
                latest.update { $0 = ProbeEntry.latest(after: step) }
            }
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            if random >> 60 == 0 {
                try await graph.flush(surviving: random >> 56 == 0 ? .powerLoss : .processExit)
                say("confirmed \(step)")
            }
        }
    }

    /// Changes the step of all cells at first, and after each step of another process, until the
    /// process is killed.
    ///
    /// The method checks the steps that it reads, and prints "saw" and the step after each step of
    /// another process. If two processes change the step at once, the one with the earlier step
    /// imports the later one, so the two never wait for each other.
    func shareForever(_ number: Int) async throws {
        let cache = Cache()
        let graph = try graph(flushInterval: .milliseconds(1))
        try await graph.attach(to: cache)
        let (changes, changed) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        // Before the observation, which can print another process's step at once.
        say("ready")
        let token = sayStepsOfOthers(number, in: cache) { changed.yield() }
        changed.yield()
        var round = 0
        for await _ in changes {
            round += 1
            cache.performBatchUpdates { batch in
                let step = (round * 10) + number
                for id in 0..<ProbeCell.count { batch.set(ProbeCell(id: id, step: step)) }
            }
        }
        token.dispose()
    }

    /// Imports the steps of other processes until the process is killed, and prints "saw" and the
    /// number of each of them.
    func importForever() async throws {
        let cache = Cache()
        let graph = try graph(flushInterval: .seconds(100_000))
        try await graph.attach(to: cache)
        say("ready")
        let token = sayStepsOfOthers(nil, in: cache)
        // The stream never ends.
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in stream {}
        withExtendedLifetime((continuation, token)) {}
    }

    /// Checks each commit of steps, and prints the steps that don't have the number of this
    /// process.
    private func sayStepsOfOthers(
        _ number: Int?,
        in cache: Cache,
        onStep: @escaping @Sendable () -> Void = {}
    ) -> Disposable {
        cache.cached(ProbeCell.self, id: 0).observe { [weak cache] _ in
            // Each commit sets all cells.
            guard let cache else { return }
            let steps = cache.performBatchUpdates { batch in
                (0..<ProbeCell.count).compactMap { batch.get(ProbeCell.self, id: $0)?.step }
            }
            if Set(steps).count != 1 { say("torn: \(steps)") }
            if let step = steps.first, step % 10 != number {
                say("saw \(step)")
                onStep()
            }
        }
    }

    /// Writes more than a limit of the file's size allows, as on a full disk, and then without the
    /// limit.
    func writeLimited(bytes: Int) async throws {
        let cache = Cache()
        let graph = try graph(flushInterval: .seconds(100_000))
        try await graph.attach(to: cache)
        try limitFileSize(to: bytes)
        let text = String(repeating: "x", count: 1_000)
        cache.set(contentsOf: (0..<1_000).map { ProbeEntry(id: $0, text: text) })
        do {
            try await graph.flush()
            say("flushed")
        } catch {
            say("\(error.kind)")
        }
        say("memory \(cache.count(of: ProbeEntry.self))")
        cache.remove(ProbeEntry.self, id: 5)
        try limitFileSize(to: nil)
        try await graph.flush()
        say("rows \(try await graph.statistics.rowCounts["entry"] ?? -1)")
    }

    /// Opens the file as a user without permission.
    func openUnprivileged() async throws {
        if getuid() == 0, setuid(65534) != 0 { throw ProbeFailure(reason: "setuid: \(errno)") }
        do {
            let graph = try graph(flushInterval: .seconds(100_000))
            let cache = Cache()
            try await graph.attach(to: cache)
            say("cells \(cache.count(of: ProbeCell.self))")
            cache.set(ProbeCell(id: 0, step: 1))
            try await graph.flush()
            say("flushed")
        } catch {
            say("\((error as? SQLiteGraphError).map { "\($0.kind)" } ?? "\(error)")")
        }
    }

    /// Limits the size of files, so that larger ones fail as on a full disk, or removes the limit.
    private func limitFileSize(to bytes: Int?) throws {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #else
        let resource = RLIMIT_FSIZE
        #endif
        getrlimit(resource, &limit)
        limit.rlim_cur = bytes.map { rlim_t($0) } ?? limit.rlim_max
        guard setrlimit(resource, &limit) == 0 else {
            throw ProbeFailure(reason: "setrlimit: \(errno)")
        }
    }
}
