public import FlatCache

extension Cache {
    /// Creates a queue of mutations that lives in memory.
    ///
    /// With `FlatCacheSQLite`, a queue keeps its mutations in the file of a graph: pass the graph
    /// as `storedIn`.
    ///
    /// - Parameters:
    ///   - server: The value that sends the mutations.
    ///   - account: The account for which the mutations are sent.
    ///   - types: The types of the mutations, each with another name.
    ///   - onRollBack: A closure that receives each mutation whose edits were taken back, and the
    ///     error. The queue calls it under no lock.
    /// - Returns: The queue. Keep it: a queue that is released sends nothing.
    public func mutations<Server: Sendable>(
        with server: Server,
        account: some CustomStringConvertible = "",
        @MutationBuilder<Server> _ types: () -> [any CacheMutation<Server>.Type],
        onRollBack: @escaping @Sendable (any CacheMutation<Server>, any Error) -> Void = { _, _ in }
    ) -> MutationQueue<Server> {
        MutationQueue(
            self,
            server,
            account: "\(account)",
            types(),
            store: nil,
            onRollBack: onRollBack
        )
    }
}

/// The result builder of the types of a queue's mutations.
@resultBuilder
public enum MutationBuilder<Server: Sendable> {
    /// Builds the list of the types.
    public static func buildBlock(
        _ types: any CacheMutation<Server>.Type...
    ) -> [any CacheMutation<Server>.Type] { types }
}
