import FlatCache
import FlatCacheFoundation
import FlatCacheTesting
import Foundation
import TestSupport
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Random operations on queues that keep their mutations in a file, with a naive reference.
struct StoredMutationOracleTests {
    @Test func storedMutationsAgreeWithTheReference() async throws {
        var counts: [String: Int] = [:]
        let settings = RandomTestSettings(seeds: 40, steps: 60)
        let isPassed = try await settings.forEachSeed { seed in
            var run = try await StoredMutationRun(seed)
            for step in 0..<settings.steps {
                if let problem = await run.step() {
                    return FailureReport(
                        seed: seed,
                        step: step,
                        operations: run.operations,
                        problem: problem
                    )
                }
            }
            try await run.end()
            if let problem = try run.differenceOfOtherAccount() {
                return FailureReport(seed: seed, step: nil, problem: problem)
            }
            for (event, count) in run.counts { counts[event, default: 0] += count }
            return nil
        }
        if isPassed, !settings.isReplay {
            for event in StoredMutationRun.events {
                #expect(counts[event] ?? 0 > 0, "No run has \(event).")
            }
        }
    }
}

/// A run of random operations on one or two launches of a program, and on a list of mutations.
struct StoredMutationRun {
    static let events = [
        "submit", "create", "edit of a draft", "answer", "refusal", "cancellation", "discard",
        "removeAll", "write", "replacement", "rollback with creator", "pause", "retry", "advance",
        "flush", "suspend", "submission to a suspended graph", "resume", "relaunch", "crash",
        "unwritten change", "lease of a crash", "second launch", "other sender", "end of a launch",
    ]

    var folder: GraphFolder
    let wallClock = ManualClock()
    var launches: [OracleLaunch] = []
    /// The index of the launch that sends.
    var sender = 0
    var isSuspended = false
    /// The submissions that return when the graph is resumed.
    var submissions: [Task<Void, any Error>] = []
    var state = OracleState(confirmed: [1: "b1", 2: "b2"])
    /// The states that the file may have: the last one that it must have, and all later ones.
    var states: [OracleState] = []
    /// The contents after all steps.
    private var known: [OracleState.Content] = []
    var generator: SplitMix64
    private var lastNumber = 10
    private(set) var operations: [String] = []
    private(set) var counts: [String: Int] = [:]

    init(_ seed: Seed) async throws {
        generator = SplitMix64(seed: seed)
        folder = try GraphFolder()
        known = [state.content]
        try await leave()
        try await launch()
        try await storeAll()
    }

    mutating func record(_ event: String, _ detail: String = "") {
        counts[event, default: 0] += 1
        operations.append("\(event) \(detail)")
    }

    /// Performs a random operation on both, and returns the first difference.
    mutating func step() async -> String? {
        lastNumber += 1
        do {
            switch generator.below(17) {
            case 0, 1, 2: try await submitEdit()
            case 3: try await submitCreation()
            case 4, 5, 6, 7: answer()
            case 8: write()
            case 9: discard()
            case 10: try await changePause()
            case 11, 12: try await endPauses()
            case 13: if generator.below(3) == 0 { removeAll() } else { try await flush() }
            case 14: try await changeSuspension()
            case 15: if let problem = try await restart() { return problem }
            default: try await changeLaunches()
            }
            states.append(state)
            if launches.count > 1 { try await storeAll() }
            let keys = Set(state.pending.map(\.key))
            for index in launches.indices { launches[index].keep(keys) }
            launches[sender].beginAttempts(state.pending, isSuspended: isSuspended)
            known.append(state.content)
            // The other launch follows the one that has the answers.
            if let problem = await difference(in: sender) { return problem }
            if launches.count == 1 { return nil }
            try await storeAll()
            return await difference(in: 1 - sender)
        } catch {
            return "\(error)"
        }
    }

    private func difference(in index: Int) async -> String? {
        let problem = await launches[index].difference(from: state, known: known)
        if problem == nil, folder.errors.all.isEmpty { return nil }
        return "In launch \(index): \(problem ?? "") \(folder.errors.all)"
    }

    mutating func end() async throws {
        for launch in launches { try await launch.base.graph.detach() }
        for submission in submissions { try await submission.value }
    }

    // MARK: Operations on mutations

    private mutating func submit<Mutation: CacheMutation<StubServer>>(
        _ mutation: Mutation,
        _ make: (PendingMutation) -> OracleMutation
    ) async throws {
        let queue = generator.pick(launches).queue
        let known = Set(queue.pending.elements.map(\.id))
        let submission = Task { _ = try await queue.submit(mutation) }
        var submitted: PendingMutation?
        _ = await until(limit: modelStepTime) {
            submitted = queue.pending.elements.first { !known.contains($0.id) }
            return submitted != nil
        }
        state.pending.append(make(try #require(submitted)))
        if isSuspended {
            record("submission to a suspended graph")
            submissions.append(submission)
        } else {
            try await submission.value
            states = []
        }
    }

    private mutating func submitEdit() async throws {
        let drafts = state.pending.filter(\.isCreation).map(\.book)
        let book = generator.pick(
            [1, 2] + state.confirmed.keys.sorted().suffix(2) + drafts + drafts
        )
        let title = "t\(lastNumber)"
        record(drafts.contains(book) ? "edit of a draft" : "submit", "\(book)=\(title)")
        try await submit(EditTitle(book: book, title: title)) {
            OracleMutation(id: $0.id, key: $0.key, book: book, title: title, isCreation: false)
        }
    }

    private mutating func submitCreation() async throws {
        let (book, title) = (-lastNumber, "t\(lastNumber)")
        record("create", "\(book)")
        try await submit(CreateBook(draft: book, title: title)) {
            OracleMutation(id: $0.id, key: $0.key, book: book, title: title, isCreation: true)
        }
    }

    private mutating func answer() {
        let sent = state.pending.filter { launches[sender].sent.contains($0.key) }
        guard !sent.isEmpty else { return }
        let mutation = generator.pick(sent)
        switch generator.below(6) {
        case 0:
            record("refusal", mutation.request)
            rollBack(mutation, in: sender)
            launches[sender].base.server.answer(mutation.request, with: .failure(Refusal()))
        case 1, 2:
            record("cancellation", mutation.request)
            launches[sender].cancel(mutation)
        default:
            record("answer", mutation.request)
            state.pending.removeAll { $0 == mutation }
            let book = mutation.isCreation ? lastNumber : mutation.book
            state.confirmed[book] = mutation.title + "!"
            for index in state.pending.indices where state.pending[index].book == mutation.book {
                if mutation.isCreation { record("replacement") }
                state.pending[index].book = book
            }
            launches[sender].base.server.answer(mutation.request, with: .success("\(book)"))
        }
    }

    private mutating func rollBack(_ mutation: OracleMutation, in index: Int) {
        let count = state.pending.count
        state.pending.removeAll {
            $0 == mutation || mutation.isCreation && $0.book == mutation.book
        }
        launches[index].reported += count - state.pending.count
        if count - state.pending.count > 1 { record("rollback with creator") }
    }

    private mutating func discard() {
        guard !state.pending.isEmpty else { return }
        let mutation = generator.pick(state.pending)
        let index = generator.below(launches.count)
        record("discard", "\(mutation.request) in \(index)")
        rollBack(mutation, in: index)
        launches[index].queue.discard(mutation.id)
    }

    private mutating func removeAll() {
        let index = generator.below(launches.count)
        record("removeAll", "in \(index)")
        launches[index].reported += state.pending.count
        state = OracleState()
        launches[index].base.cache.removeAll()
    }

    private mutating func write() {
        let book = generator.pick([1, 2] + state.confirmed.keys.sorted().suffix(2))
        record("write", "\(book)")
        state.confirmed[book] = "w\(lastNumber)"
        generator.pick(launches).base.cache.set(Book(id: book, title: "w\(lastNumber)"))
    }

    private mutating func changePause() async throws {
        record("pause", "\(!launches[sender].isPaused)")
        if launches[sender].isPaused {
            try await launches[sender].resume()
        } else {
            launches[sender].pause()
        }
    }

    private mutating func endPauses() async throws {
        let pausing = state.pending.filter { launches[sender].pausing.contains($0.key) }
        guard !pausing.isEmpty else { return }
        try await launches[sender].waitForPauses()
        if generator.below(2) == 0 {
            record("advance")
            launches[sender].endPauses()
            launches[sender].base.clock.advance(by: .seconds(120))
        } else {
            let mutation = generator.pick(pausing)
            record("retry", mutation.request)
            launches[sender].endPause(of: mutation)
            launches[sender].queue.retry(mutation.id)
        }
    }
}
