import FlatCache
import FlatCacheFoundation
import FlatCacheSQLite
import Foundation

/// An entity to which each mutation of the probe adds a step.
package struct ProbeLedger: Identifiable, Codable, Hashable, Sendable {
    package let id: Int
    package var steps: [Int]

    package static let count = 3
}

/// A mutation that adds a step to a ledger.
struct AppendStep: CacheMutation {
    static let name = "append-step"
    var ledger: Int
    var step: Int

    var scope: MutationScope { .entity(ProbeLedger.self, ledger) }

    func show(in layer: CacheLayer) {
        layer.update(ProbeLedger.self, id: ledger) { [step] in
            if !$0.steps.contains(step) { $0.steps.append(step) }
        }
    }

    func send(with server: PipeServer, attempt: MutationAttempt) async throws -> [Int] {
        await server.send("send \(attempt.key) \(ledger) \(step)", key: "\(attempt.key)")
    }

    func apply(_ response: [Int], to batch: CacheBatch) {
        batch.set(ProbeLedger(id: ledger, steps: response))
    }
}

/// The server of the probe's mutations: the process that has started the probe.
///
/// It reads the requests from the output of the probe, and answers to its input.
final class PipeServer: Sendable {
    private let waiting = Locked<[String: CheckedContinuation<[Int], Never>]>([:])

    init() {
        Thread.detachNewThread { [waiting] in
            while let line = readLine() {
                let words = line.split(separator: " ")
                let steps = words.dropFirst().compactMap { Int($0) }
                let reply = waiting.withLock { $0.removeValue(forKey: String(words[0])) }
                reply?.resume(returning: steps)
            }
        }
    }

    func send(_ request: String, key: String) async -> [Int] {
        await withCheckedContinuation { reply in
            waiting.withLock { $0[key] = reply }
            say(request)
        }
    }
}

/// The commands of the probe for mutations.
struct MutationProbe {
    let path: String

    /// Prints the steps that are shown at first, and then submits mutations until the process is
    /// killed, or sends those that are left.
    func run(seed: Int, isSubmitting: Bool) async throws {
        let cache = Cache()
        let graph = try SQLiteGraph(
            URL(fileURLWithPath: path),
            flushInterval: .milliseconds(1),
            // The lease of a killed process expires after half a second.
            wallClock: { Date(timeIntervalSince1970: Date().timeIntervalSince1970 * 20) },
            onError: { say("error: \($0.kind)") },
            types: { Durable(ProbeLedger.self, "ledger", load: .atStart) }
        )
        let queue = try await cache.mutations(
            with: PipeServer(),
            account: "probe",
            storedIn: graph
        ) {
            AppendStep.self
        } onRollBack: { mutation, error in
            say("error: \(mutation) \(error)")
        }
        for id in 0..<ProbeLedger.count {
            let ledger = cache[ProbeLedger.self, id] ?? ProbeLedger(id: id, steps: [])
            if ledger.steps.isEmpty { cache.set(ledger) }
            say("shown \(id) \(ledger.steps.map(String.init).joined(separator: " "))")
        }
        say("ready")
        var random = UInt64(truncatingIfNeeded: seed)
        while isSubmitting {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let ledger = Int((random >> 33) % UInt64(ProbeLedger.count))
            let step = (cache[ProbeLedger.self, ledger]?.steps.last ?? 0) + 1
            try await queue.submit(AppendStep(ledger: ledger, step: step))
            say("submitted \(ledger) \(step)")
            // The number of mutations that wait stays small.
            if queue.pending.elements.count < 10 { continue }
            say("full")
            _ = try await queue.pending.first { $0.count < 10 }
        }
        _ = try await queue.pending.first { $0.isEmpty }
        try await graph.flush()
        say("done")
    }
}
