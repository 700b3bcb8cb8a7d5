package import FlatCache

/// A file that stores pending mutations.
package protocol MutationStore: AnyObject, Sendable {
    /// Makes a queue the only one of the store, and reads the mutations of its account.
    ///
    /// A second queue traps until the first one is closed or released.
    func beginMutations(
        of account: String,
        for queue: any AnyObject & Sendable
    ) async throws -> [PendingMutation]

    /// Ends the waits of a queue that was released.
    func endMutations()

    /// Ends the use by a queue. A later removal of all entities removes no mutations.
    func closeMutations(of queue: any AnyObject & Sendable) async

    /// Attaches the store to a cache, unless it's attached, and loads the pending mutations.
    func attachMutations(to cache: Cache) async throws

    /// Waits until the file contains all commits up to the call, or until the queue is released.
    func storeCommits() async

    /// Stores all commits, imports those of other processes, and begins an attempt, unless another
    /// process sends mutations.
    ///
    /// - Returns: `true` if this process holds the lease, until `endSending()`.
    func beginSending() async -> Bool

    /// Ends an attempt.
    func endSending() async
}
