import FlatCache
import Foundation
import TestSupport
import Testing

@testable import FlatCacheFoundation

/// Tests of mutations that end between the reading of a file and its attachment.
struct RestoredMutationTests {
    private let fixture = MutationFixture()

    /// Restores a mutation, and calls a closure while the queue attaches the store.
    private func restore(
        attaching attach: @escaping @Sendable (Cache, PendingMutation) -> Void
    ) async throws -> MutationQueue<StubServer> {
        let store = try StubStore(SetText(note: "a", text: "a1"), attach)
        let queue = MutationQueue(
            fixture.cache,
            fixture.server,
            account: "me",
            [SetText.self],
            store: store
        ) { [fixture] mutation, error in
            fixture.rolledBack.append("\(mutation) \(error)")
        }
        try await queue.restore()
        return queue
    }

    @Test func presentMutationIsSent() async throws {
        let queue = try await restore { $0.set($1) }
        #expect(await fixture.untilWaiting(["a=a1"]))
        #expect(queue.pending.elements.count == 1)
    }

    @Test func mutationThatAnotherProcessHasEndedIsNotReported() async throws {
        let queue = try await restore { _, _ in }
        #expect(fixture.text("a") == "a0")
        #expect(fixture.rolledBack.all.isEmpty)
        #expect(queue.pending.elements.isEmpty)
    }

    @Test func removalOfAllEndsMutationsThatAreBeingRestored() async throws {
        let queue = try await restore { cache, submitted in
            cache.removeAll()
            cache.set(submitted)
        }
        #expect(fixture.rolledBack.count == 1)
        #expect(queue.pending.elements.isEmpty)
    }
}

/// A store with a mutation.
private final class StubStore: MutationStore {
    private let submitted: PendingMutation
    private let attach: @Sendable (Cache, PendingMutation) -> Void

    init(
        _ mutation: SetText,
        _ attach: @escaping @Sendable (Cache, PendingMutation) -> Void
    ) throws {
        submitted = PendingMutation(
            number: 1,
            prefix: PendingMutation.prefix(of: "me"),
            account: "me",
            name: SetText.name,
            scope: mutation.scope,
            payload: try JSONEncoder().encode(mutation)
        )
        self.attach = attach
    }

    func beginMutations(
        of account: String,
        for queue: any AnyObject & Sendable
    ) async throws -> [PendingMutation] { [submitted] }

    func endMutations() {}
    func closeMutations(of queue: any AnyObject & Sendable) async {}
    func attachMutations(to cache: Cache) async throws { attach(cache, submitted) }
    func storeCommits() async {}
    func beginSending() async -> Bool { true }
    func endSending() async {}
}
