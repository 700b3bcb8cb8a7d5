#if canImport(SQLite3) || canImport(CSQLite)
public import FlatCache
public import FlatCacheFoundation

extension Cache {
    /// Creates a queue of mutations that the file of a graph keeps across launches.
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
    ///     print("\(mutation) was refused: \(error)")
    /// }
    /// ```
    ///
    /// The method attaches the graph to the cache, unless it's attached. Before it returns, it
    /// shows the mutations of the account that earlier launches have left, in the order of their
    /// submission. If the method attaches the graph, no commit shows rows without these edits.
    ///
    /// A mutation is sent after the file contains it. One transaction stores the answer of the
    /// server and removes the mutation. If the process ends before that transaction, the mutation
    /// is sent again, with the same key: see `MutationAttempt`. Mutations that can't be decoded,
    /// or whose types aren't listed, remain in the file. The cache reports them, and they block
    /// their scopes until you call `discard(_:)` of the queue.
    ///
    /// `removeAll()` of the cache also removes the mutations of the account from the file, and
    /// keeps those of others.
    ///
    /// ## Several processes
    /// All processes that use the file show the mutations of their accounts, and one of them sends.
    /// It holds a lease in the file while an attempt runs. If it crashes, another process sends
    /// after ten seconds of the wall clock. ``SQLiteGraph/suspend()`` gives the lease up.
    ///
    /// - Parameters:
    ///   - server: The value that sends the mutations.
    ///   - account: The account whose mutations are shown and sent.
    ///   - graph: The graph. Passing a graph whose former queue hasn't been released is a
    ///     programmer error and traps, as is a graph that's attached to another cache.
    ///   - types: The types of the mutations, each with another name.
    ///   - onRollBack: A closure that receives each mutation whose edits were taken back, and the
    ///     error. The queue calls it under no lock.
    /// - Returns: The queue. Keep it: a queue that is released sends nothing.
    /// - Throws: An error if the graph can't be attached, or if its file can't be read.
    public func mutations<Server: Sendable>(
        with server: Server,
        account: some CustomStringConvertible = "",
        storedIn graph: SQLiteGraph,
        @MutationBuilder<Server> _ types: () -> [any CacheMutation<Server>.Type],
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
