import FlatCache
import Foundation

extension MutationQueue {
    /// Shows the mutations of the store before the rows that they change, and begins to send them.
    package func restore() async throws {
        guard let store else { return }
        state.withLock { $0.isRestoring = true }
        let stored = try await store.beginMutations(of: account, for: self)
        cache.performBatchUpdates { _ in
            // An import may have shown some of them.
            for submitted in stored.sorted(by: { $0.id < $1.id })
            where state.withLock({ $0[submitted.id] }) == nil {
                add(submitted, decoded(submitted))
            }
        }
        try await store.attachMutations(to: cache)
        let records = state.withLock { $0.inOrder }
        // Another process may have ended mutations since they were read.
        let missing = records.map(\.id)
            .filter { cache.get(PendingMutation.self, id: $0) == nil }
        for id in missing { state.withLock { $0.markEndedElsewhere(id) } }
        state.withLock { $0.isRestoring = false }
        endElsewhere(missing)
        // All entities may have been removed before memory had the mutations.
        for record in records where record.layer?.isOpen == false {
            rollBack(record.id, MutationError.removed)
        }
        advance()
    }

    /// Shows a mutation in a new layer, as part of the caller's batch.
    func add(
        _ submitted: PendingMutation,
        _ mutation: (any CacheMutation<Server>)?,
        _ resolve: @escaping @Sendable (Result<any Sendable, any Error>) -> Void = { _ in }
    ) {
        let record = MutationState<Server>.Record(
            submitted,
            mutation,
            layer: mutation.map { cache.beginLayer(submitted.name, $0.show) },
            pin: cache.cached(PendingMutation.self, id: submitted.id).pin(),
            resolve: resolve
        )
        let created = record.layer?.createdKeys ?? []
        state.withLock { state in
            state.insert(record)
            state.forgetReplacements(of: created)
        }
    }

    /// Decodes a stored mutation, or reports the error.
    private func decoded(_ submitted: PendingMutation) -> (any CacheMutation<Server>)? {
        func decode<Mutation: CacheMutation<Server>>(
            _ type: Mutation.Type
        ) throws -> any CacheMutation<Server> {
            try JSONDecoder().decode(type, from: submitted.payload)
        }
        let problem: String
        do {
            if let type = types[submitted.name] { return try decode(type) }
            problem = "the queue lists no type with this name"
        } catch {
            problem = "\(error)"
        }
        cache.report(
            """
            The mutation "\(submitted.name)" can't be decoded, and blocks its scope: \(problem). \
            Make it decodable, or call discard(_:).
            """,
            of: CacheKey(submitted)
        )
        return nil
    }

    /// Follows changes to pending mutations that the queue didn't make: imports from other
    /// processes, and removals.
    func receive(_ changes: [EntityChange<PendingMutation>]) {
        var ended: [PendingMutation.ID] = []
        for change in changes where change.id.hasPrefix(prefix) {
            switch change.kind {
            case .inserted, .updated: show(change.id)
            case .removed(.explicit): ended.append(change.id)
            default: break
            }
        }
        endElsewhere(ended.sorted())
    }

    private func show(_ id: PendingMutation.ID) {
        let present = state.withLock { $0[id]?.submitted }
        if let present, present == cache.get(PendingMutation.self, id: id) { return }
        cache.performBatchUpdates { batch in
            guard let submitted = batch.get(PendingMutation.self, id: id),
                !state.withLock({ $0.isClosed })
            else { return }
            guard let record = state.withLock({ $0[id] }) else {
                return add(submitted, decoded(submitted))
            }
            if record.submitted.payload == submitted.payload {
                return state.withLock { $0.recordFailure(submitted) }
            }
            guard let mutation = decoded(submitted) else { return }
            show(submitted, mutation, in: record.layer)
        }
        advance()
    }

    /// Shows a changed mutation in the layer that it has.
    private func show(
        _ submitted: PendingMutation,
        _ mutation: any CacheMutation<Server>,
        in layer: OpenLayer?
    ) {
        state.withLock { $0.change(submitted, mutation) }
        // If the layer has ended, the mutation ends with it.
        try? layer?.replace(whileSending: true, mutation.show)
    }

    /// Ends mutations that were removed by `removeAll()` or in another process.
    private func endElsewhere(_ ids: [PendingMutation.ID]) {
        // The same identifiers aren't stored again. All mutations end before the next ones begin.
        let ended = ids.compactMap { id in state.withLock { $0.take(id) } }
        for record in ended {
            record.layer?.rollBack()
            end(record, record.isEndedElsewhere ? MutationError.endedElsewhere : .removed)
        }
        advance()
    }

    /// Replaces a temporary identifier in all mutations, as part of the commit that confirms the
    /// mutation that creates the entity.
    func replace(_ old: CacheKey, _ new: CacheKey, _ batch: CacheBatch) {
        state.withLock { $0.remember(old, replacedBy: new) }
        for record in state.withLock({ $0.inOrder }) {
            guard var mutation = record.mutation else { continue }
            let replaced = ReplacedIdentifier(old, new)
            mutation.replace(replaced)
            guard replaced.isNamed,
                var submitted = batch.get(PendingMutation.self, id: record.id)
            else { continue }
            submitted.scope = mutation.scope.name
            do {
                submitted.payload = try JSONEncoder().encode(mutation)
                batch.set(submitted)
            } catch {
                let problem = "The mutation can't be encoded again: \(error)"
                cache.report(problem, of: CacheKey(submitted))
            }
            show(submitted, mutation, in: record.layer)
        }
    }
}

/// Rolls back the layers of mutations in the commits that remove the mutations, such as the import
/// of a response to another process.
///
/// An entity with a temporary identifier and its replacement are therefore never shown together.
final class MutationRewriter<Server: Sendable>: CommitRewriter {
    private let state: Locked<MutationState<Server>>

    init(state: Locked<MutationState<Server>>) { self.state = state }

    func rewrite(_ commit: inout Commit) {
        for change in commit.changes(of: PendingMutation.self) {
            guard case .removed(.explicit) = change.kind,
                let layer = state.withLock({ $0[change.id]?.layer }), commit.rollBack(layer)
            else { continue }
            state.withLock { $0.markEndedElsewhere(change.id) }
        }
    }
}
