#if canImport(SQLite3) || canImport(CSQLite)
public import FlatCache
public import FlatCacheFoundation

extension Cache {
    /// Creates a queue of mutations that are kept in the file of a graph.
    ///
    /// <!-- prelude: mutations -->
    /// ```swift
    /// import FlatCacheFoundation
    /// import FlatCacheSQLite
    /// import Foundation
    ///
    /// let graph = try SQLiteGraph(URL(fileURLWithPath: "issues.sqlite")) {
    ///     Durable(Issue.self, "issue")
    ///     Durable(Comment.self, "comment")
    /// }
    /// let mutations = try await cache.mutations(
    ///     with: live as any API,
    ///     account: account,
    ///     storedIn: graph
    /// ) {
    ///     AddComment.self
    ///     CloseIssue.self
    /// } onRollBack: { mutation, error in
    ///     print("\(mutation) was rolled back: \(error)")
    /// }
    /// ```
    ///
    /// If the graph isn't attached to the cache, the method attaches it. When the method returns,
    /// the cache shows the account's mutations that earlier launches have left. If the method
    /// attaches the graph, no commit shows its rows without these edits.
    ///
    /// The queue sends a mutation when the file contains it. One transaction stores the response
    /// and removes the mutation. If the process ends before that transaction, the queue of the next
    /// launch sends the mutation again, with the same key: see `MutationAttempt`.
    ///
    /// A mutation that can't be decoded, or whose type isn't listed, remains in the file and blocks
    /// its scope. The cache reports it. To remove it, call `discard(_:)` of the queue.
    ///
    /// `removeAll()` of the cache removes the mutations of the account from the file. The mutations
    /// of other accounts remain.
    ///
    /// ## Several processes
    /// All processes that use the file show the mutations of their accounts, and one of them sends.
    /// It holds a lease in the file while an attempt runs. If it's killed, another process, or its
    /// next launch, sends after ten seconds of the wall clock. ``SQLiteGraph/suspend()`` releases
    /// the lease.
    ///
    /// - Parameters:
    ///   - server: The value that sends the mutations.
    ///   - account: The account whose mutations the queue shows and sends.
    ///   - graph: The graph. It's a programmer error and traps if another queue uses the graph, or
    ///     if the graph is attached to another cache.
    ///   - types: The types of the mutations. Two types with the same name are a programmer error
    ///     and trap.
    ///   - onRollBack: A closure that receives each mutation that was rolled back, and the error.
    ///     The queue calls it on any thread, under no lock. The error is a `MutationError` if the
    ///     mutation was discarded, or if all entities were removed. For a mutation that was rolled
    ///     back with an earlier one, it's the error of that one.
    /// - Returns: The queue. Keep it: a queue that is released stops sending.
    /// - Throws: An error if the graph can't be attached, or if its file can't be read.
    public func mutations<Server: Sendable>(
        with server: Server,
        account: some CustomStringConvertible = "",
        storedIn graph: SQLiteGraph,
        @MutationBuilder<Server> _ types: @Sendable () -> [any CacheMutation<Server>.Type],
        onRollBack: @escaping @Sendable (any CacheMutation<Server>, any Error) -> Void = { _, _ in }
    ) async throws -> MutationQueue<Server> {
        let queue = MutationQueue(
            self,
            server,
            account: "\(account)",
            types(),
            store: graph.engine,
            onRollBack: onRollBack
        )
        try await queue.restore()
        return queue
    }
}
#endif
