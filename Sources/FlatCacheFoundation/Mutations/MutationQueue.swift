public import FlatCache
import Foundation

/// A queue that shows mutations at once, and sends them until the server accepts or refuses them.
///
/// <!-- prelude: mutations -->
/// ```swift
/// let mutations = cache.mutations(with: live as any API, account: account) {
///     AddComment.self
///     CloseIssue.self
/// } onRollBack: { mutation, error in
///     print("\(mutation) was rolled back: \(error)")
/// }
/// let pending = try await mutations.submit(AddComment(issue: 7, text: "Thanks!"))
/// let comment = try await pending.value
/// ```
///
/// The queue sends the mutations of a ``MutationScope`` one at a time, in the order of their
/// submission. It sends the mutations of different scopes at the same time. One commit confirms the
/// edits, stores the response and ends the mutation.
///
/// Keep the queue until you call ``close()``. If it's released before, it stops sending and rolls
/// the edits back. The mutations of a file remain there, but a later `removeAll()` of the cache
/// removes them, unlike after ``close()``.
///
/// ## Concurrency
/// A queue may be used on any thread. It sends mutations in separate tasks.
public final class MutationQueue<Server: Sendable>: Sendable {
    let cache: Cache
    let server: Server
    let account: String
    let types: [String: any CacheMutation<Server>.Type]
    let onRollBack: @Sendable (any CacheMutation<Server>, any Error) -> Void
    let store: (any MutationStore)?
    /// The beginning of the identifiers of the queue's mutations.
    let prefix: String
    /// The lock isn't held while the queue uses the cache.
    let state: Locked<MutationState<Server>>
    private let registrations = Locked<[Disposable]>([])

    package init(
        _ cache: Cache,
        _ server: Server,
        account: String,
        _ types: [any CacheMutation<Server>.Type],
        store: (any MutationStore)?,
        onRollBack: @escaping @Sendable (any CacheMutation<Server>, any Error) -> Void
    ) {
        self.cache = cache
        self.server = server
        self.account = account
        self.types = Dictionary(types.map { ($0.name, $0) }) { first, second in
            preconditionFailure(
                "\(first) and \(second) have the name \"\(first.name)\": give each its own."
            )
        }
        self.store = store
        prefix =
            store == nil
            ? PendingMutation.memoryPrefix() : PendingMutation.prefix(of: account)
        self.onRollBack = onRollBack
        state = Locked(MutationState())
        let token = cache.observeAll(PendingMutation.self) { [weak self] in
            self?.receive($0.changes)
        }
        let ending = cache.add(MutationRewriter(state: state))
        registrations.withLock { $0 = [ending, token] }
    }

    deinit {
        if stop() { store?.endMutations() }
    }

    /// Stops sending, rolls the edits back, and keeps the mutations of a file for the next queue.
    ///
    /// The queue cancels running attempts. The next queue repeats them with the same keys.
    /// Tasks that wait for a response throw ``MutationError/closed``, and so does
    /// ``submit(_:isolation:)``. The queue doesn't call `onRollBack`. After the call, `removeAll()`
    /// of the cache removes no mutations. A queue in memory drops its mutations.
    public func close() async {
        if stop() { await store?.closeMutations(of: self) }
    }

    /// Rolls the mutations back; returns `false` if the queue was closed before.
    private func stop() -> Bool {
        // A submission whose batch comes first is among the records. Later ones find the queue
        // closed.
        let records = cache.performBatchUpdates { batch -> [MutationState<Server>.Record]? in
            if state.withLock({ $0.isClosed }) { return nil }
            let records = state.withLock { $0.close() }
            for record in records {
                record.layer?.rollBack()
                if store == nil { batch.remove(PendingMutation.self, id: record.id) }
            }
            return records
        }
        guard let records else { return false }
        for record in records { record.end(throwing: MutationError.closed) }
        registrations.withLock { $0 = [] }
        return true
    }

    /// Shows a mutation, and stores it.
    ///
    /// The edits are visible before the method suspends. If the queue has a graph, the method
    /// returns when the file contains the mutation. It waits while the graph is suspended or can't
    /// write. If the graph is detached, the method returns without waiting: the queue stores and
    /// sends the mutation when the graph is attached again.
    ///
    /// - Parameters:
    ///   - mutation: The mutation. A type that the queue doesn't list is a programmer error and
    ///     traps.
    ///   - isolation: The actor that the caller is isolated to.
    /// - Returns: A task, to wait for the response.
    /// - Throws: Any error of the encoding, and ``MutationError/closed``. In these cases, the queue
    ///   doesn't show the mutation.
    @discardableResult
    public func submit<Mutation: CacheMutation<Server>>(
        _ mutation: Mutation,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> MutationTask<Mutation.Response> {
        precondition(
            types[Mutation.name] == Mutation.self,
            "The queue doesn't list \(Mutation.self): add it to the types of its mutations."
        )
        // Unlike a continuation, a stream can be finished before anything waits for it.
        let (responses, response) = AsyncThrowingStream<Mutation.Response, any Error>.makeStream()
        let task = Task {
            for try await response in responses { return response }
            throw CancellationError()
        }
        let id = try cache.performBatchUpdates { batch in
            let (isClosed, replacements) = state.withLock { ($0.isClosed, $0.replacements) }
            if isClosed { throw MutationError.closed }
            // A form may still have the temporary identifier of an entity.
            var mutation = mutation
            for (old, new) in replacements { mutation.replace(ReplacedIdentifier(old, new)) }
            let payload = try JSONEncoder().encode(mutation)
            let submitted = PendingMutation(
                number: state.withLock { $0.nextNumber() },
                prefix: prefix,
                account: account,
                name: Mutation.name,
                scope: mutation.scope,
                payload: payload
            )
            batch.set(submitted)
            add(submitted, mutation) { result in
                switch result {
                case .success(let value):
                    if let value = value as? Mutation.Response { response.yield(value) }
                    response.finish()
                case .failure(let error): response.finish(throwing: error)
                }
            }
            return submitted.id
        }
        advance()
        await store?.storeCommits()
        return MutationTask(id: id, task: task)
    }

    /// The account's mutations that haven't been confirmed or rolled back.
    ///
    /// They're in the order of submission.
    ///
    /// <!-- prelude: mutations -->
    /// ```swift
    /// let observation = mutations.pending.observe { print("\($0.count) edits aren't saved yet.") }
    /// ```
    public var pending: CachedQuery<PendingMutation> {
        cache.query(PendingMutation.self)
            .where { [prefix] in $0.id.hasPrefix(prefix) }
            .sorted(by: \.id)
    }

    /// Returns a pending mutation, or `nil` if it has ended or can't be decoded.
    ///
    /// - Parameter id: The identifier of the mutation.
    public subscript(id: PendingMutation.ID) -> (any CacheMutation<Server>)? {
        state.withLock { $0[id]?.mutation }
    }

    /// Stops sending mutations until ``resume()`` is called.
    ///
    /// Attempts that have begun continue. For example, call the method when a network monitor
    /// reports that there's no connection.
    public func pause() { state.withLock { $0.isPaused = true } }

    /// Continues to send mutations, and ends the pauses after failed attempts.
    public func resume() {
        for pause in state.withLock({ $0.resume() }) { pause.cancel() }
        advance()
    }

    /// Ends the pause of a mutation after a failed attempt.
    ///
    /// - Parameter id: The identifier of the mutation.
    public func retry(_ id: PendingMutation.ID) {
        state.withLock { $0[id]?.pause }?.cancel()
    }

    /// Rolls a mutation back, and doesn't send it again.
    ///
    /// The queue also discards later mutations that name an entity that this one creates. If an
    /// attempt has begun, the server may have received the mutation. `onRollBack` receives each
    /// discarded mutation that can be decoded, with ``MutationError/discarded``.
    ///
    /// - Parameter id: The identifier of the mutation.
    public func discard(_ id: PendingMutation.ID) { rollBack(id, MutationError.discarded) }
}
