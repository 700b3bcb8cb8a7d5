import FlatCache
import FlatCacheFoundation
import FlatCacheTesting
import TestSupport
import Testing

/// Random operations on a queue in memory, with a naive reference.
struct MutationOracleTests {
    @Test func queueAgreesWithTheReference() async {
        var counts: [String: Int] = [:]
        let settings = RandomTestSettings(seeds: 60, steps: 60)
        await settings.forEachSeed { seed in
            var run = MutationRun(seed)
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
            for (event, count) in run.counts { counts[event, default: 0] += count }
            return nil
        }
        if !settings.isReplay {
            for event in MutationRun.events {
                #expect(counts[event] ?? 0 > 0, "No run has \(event).")
            }
        }
    }
}

/// A submitted mutation of the reference.
private struct ReferenceMutation {
    let id: PendingMutation.ID
    var note: String
    let text: String
    /// `true` if the mutation creates the note.
    let isCreation: Bool
    var isSent = false
    var isPausing = false

    var scope: String { MutationRun.scope(of: note) ?? note }
    var request: String { isCreation ? "add \(note)" : "\(note)=\(text)" }
}

/// A run of random operations on a queue and on a list of mutations.
private struct MutationRun {
    static let events = [
        "submit", "create", "edit of a draft", "answer", "refusal", "cancellation", "discard",
        "removeAll", "write", "replacement", "rollback with creator", "pause", "retry",
    ]

    private let fixture = MutationFixture()
    private let queue: MutationQueue<StubServer>
    private var generator: SplitMix64
    private var confirmed: [String: String] = ["a": "a0", "b": "b0"]
    private var pending: [ReferenceMutation] = []
    private var reported = 0
    private var isPaused = false
    private var lastNumber = 0
    private(set) var operations: [String] = []
    private(set) var counts: [String: Int] = [:]

    init(_ seed: Seed) {
        generator = SplitMix64(seed: seed)
        queue = fixture.queue()
    }

    /// The notes "a" and "b" share a scope.
    static func scope(of note: String) -> String? { note == "a" || note == "b" ? "ab" : nil }

    private mutating func record(_ event: String, _ detail: String = "") {
        counts[event, default: 0] += 1
        operations.append("\(event) \(detail)")
    }

    /// Performs a random operation on both, and returns the first difference.
    mutating func step() async -> String? {
        lastNumber += 1
        do {
            switch generator.below(14) {
            case 0, 1, 2: try await submitEdit()
            case 3: try await submitCreation()
            case 4, 5, 6, 7: answer()
            case 8: write()
            case 9: discard()
            case 10: await changePause()
            case 11, 12: await endPauses()
            default: if generator.below(4) == 0 { removeAll() }
            }
        } catch {
            return "\(error)"
        }
        beginAttempts()
        return await difference()
    }

    // MARK: Operations

    private mutating func submitEdit() async throws {
        let drafts = pending.filter(\.isCreation).map(\.note)
        let notes = ["a", "b"] + confirmed.keys.sorted().suffix(2) + drafts + drafts
        let note = notes[generator.below(notes.count)]
        let text = "t\(lastNumber)"
        record(drafts.contains(note) ? "edit of a draft" : "submit", "\(note)=\(text)")
        let mutation = SetText(note: note, text: text, queue: Self.scope(of: note))
        let id = try await queue.submit(mutation).id
        pending.append(ReferenceMutation(id: id, note: note, text: text, isCreation: false))
    }

    private mutating func submitCreation() async throws {
        let (note, text) = ("draft\(lastNumber)", "t\(lastNumber)")
        record("create", note)
        let id = try await queue.submit(AddNote(draft: note, text: text)).id
        pending.append(ReferenceMutation(id: id, note: note, text: text, isCreation: true))
    }

    private mutating func answer() {
        let sent = pending.indices.filter { pending[$0].isSent }
        guard !sent.isEmpty else { return }
        let index = sent[generator.below(sent.count)]
        let mutation = pending[index]
        switch generator.below(6) {
        case 0:
            record("refusal", mutation.request)
            rollBack(at: index)
            fixture.server.answer(mutation.request, with: .failure(Refusal()))
        case 1, 2:
            record("cancellation", mutation.request)
            pending[index].isSent = false
            pending[index].isPausing = true
            fixture.server.answer(mutation.request, with: .failure(CancellationError()))
        default:
            record("answer", mutation.request)
            pending.remove(at: index)
            confirm(mutation)
        }
    }

    private mutating func confirm(_ mutation: ReferenceMutation) {
        guard mutation.isCreation else {
            confirmed[mutation.note] = mutation.text + "!"
            fixture.server.answer(mutation.request, with: .success(mutation.text))
            return
        }
        let note = "n\(lastNumber)"
        confirmed[note] = mutation.text
        for index in pending.indices where pending[index].note == mutation.note {
            record("replacement")
            pending[index].note = note
        }
        fixture.server.answer(mutation.request, with: .success(note))
    }

    private mutating func rollBack(at index: Int) {
        let mutation = pending.remove(at: index)
        reported += 1
        guard mutation.isCreation else { return }
        let count = pending.count
        pending.removeAll { $0.note == mutation.note }
        reported += count - pending.count
        if count > pending.count { record("rollback with creator") }
    }

    private mutating func write() {
        let notes = ["a", "b"] + confirmed.keys.sorted().suffix(2)
        let note = notes[generator.below(notes.count)]
        record("write", note)
        confirmed[note] = "w\(lastNumber)"
        fixture.cache.set(Note(id: note, text: "w\(lastNumber)"))
    }

    private mutating func discard() {
        guard !pending.isEmpty else { return }
        let index = generator.below(pending.count)
        let mutation = pending[index]
        record("discard", mutation.request)
        rollBack(at: index)
        queue.discard(mutation.id)
    }

    private mutating func changePause() async {
        record("pause", "\(!isPaused)")
        isPaused.toggle()
        if isPaused {
            queue.pause()
        } else {
            await waitForPauses()
            for index in pending.indices { pending[index].isPausing = false }
            queue.resume()
        }
    }

    private mutating func endPauses() async {
        let pausing = pending.indices.filter { pending[$0].isPausing }
        guard !pausing.isEmpty else { return }
        await waitForPauses()
        if generator.below(2) == 0 {
            record("advance")
            for index in pausing { pending[index].isPausing = false }
            fixture.clock.advance(by: .seconds(120))
        } else {
            let index = pausing[generator.below(pausing.count)]
            record("retry", pending[index].request)
            pending[index].isPausing = false
            queue.retry(pending[index].id)
        }
    }

    private func waitForPauses() async {
        let count = pending.count(where: \.isPausing)
        _ = await until { fixture.clock.sleeperCount == count }
    }

    private mutating func removeAll() {
        record("removeAll")
        reported += pending.count
        (confirmed, pending) = ([:], [])
        fixture.cache.removeAll()
    }

    // MARK: The reference

    /// Begins to send the first mutation of each scope, unless the queue is paused.
    private mutating func beginAttempts() {
        if isPaused { return }
        var scopes: Set<String> = []
        for index in pending.indices where scopes.insert(pending[index].scope).inserted {
            if !pending[index].isPausing { pending[index].isSent = true }
        }
    }

    private var shown: [String: String] {
        pending.reduce(into: confirmed) { shown, mutation in
            if mutation.isCreation || shown[mutation.note] != nil {
                shown[mutation.note] = mutation.text
            }
        }
    }

    private func difference() async -> String? {
        let requests = pending.filter(\.isSent).map(\.request).sorted()
        guard await until(limit: modelStepTime, { fixture.server.waiting.sorted() == requests })
        else { return "The server has \(fixture.server.waiting) instead of \(requests)." }
        guard
            await until(
                limit: modelStepTime,
                { queue.pending.elements.map(\.id) == pending.map(\.id) }
            )
        else { return "Other mutations are pending: \(queue.pending.elements.map(\.id))" }
        guard await until(limit: modelStepTime, { fixture.rolledBack.count == reported })
        else { return "\(reported) mutations were rolled back: \(fixture.rolledBack.all)" }
        let visible = texts(fixture.cache.values(of: Note.self))
        if visible != shown { return "The cache shows \(visible) instead of \(shown)." }
        let beneath = texts(fixture.cache.confirmed.values(of: Note.self))
        if beneath != confirmed { return "Confirmed are \(beneath) instead of \(confirmed)." }
        return nil
    }

    private func texts(_ notes: [Note]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: notes.map { ($0.id, $0.text) })
    }
}
