public import FlatCache

extension Cache {
    /// Creates a queue of mutations in memory.
    ///
    /// To keep the mutations in a file, pass a graph of `FlatCacheSQLite` as `storedIn`.
    ///
    /// - Parameters:
    ///   - server: The value that ``CacheMutation/send(with:attempt:)`` receives.
    ///   - account: The account whose mutations the queue shows and sends.
    ///   - types: The types of the mutations. Two types with the same name are a programmer error
    ///     and trap.
    ///   - onRollBack: A closure that receives each mutation that was rolled back, and the error.
    ///     The queue calls it on any thread, under no lock. The error is a ``MutationError`` if the
    ///     mutation was discarded, or if all entities were removed. For a mutation that was rolled
    ///     back with an earlier one, it's the error of that one.
    /// - Returns: The queue. Keep it: a queue that is released stops sending.
    public func mutations<Server: Sendable>(
        with server: Server,
        account: some CustomStringConvertible = "",
        @MutationBuilder<Server> _ types: @Sendable () -> [any CacheMutation<Server>.Type],
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

/// A result builder for the types of a queue's mutations.
@resultBuilder
public enum MutationBuilder<Server: Sendable> {
    /// Builds the list of the types.
    public static func buildBlock(
        _ types: any CacheMutation<Server>.Type...
    ) -> [any CacheMutation<Server>.Type] { types }
}
