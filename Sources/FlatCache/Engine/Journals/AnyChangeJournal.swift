/// A journal of any type.
///
/// `CacheAccess` calls the requirements, under the writers' lock unless they say otherwise.
package protocol AnyChangeJournal: WithdrawalRecorder {
    /// The number of entities, removals and invalidations that aren't written yet.
    var pendingCount: Int { get }

    /// Takes the changes so far, and begins to collect later changes separately.
    func take()

    /// Takes the last changes: the journal ends, and the cache records no later ones.
    func takeLast()

    /// A Boolean value that indicates whether the stamps of the changes that were taken aren't read
    /// yet.
    var mustReadStamps: Bool { get }

    /// Reads the stamps of the changes that were taken, some at a time, so that no write waits for
    /// all of them.
    ///
    /// Called without the writers' lock, except by the end of the cache.
    func readStamps()

    /// Ends the writing of the changes that were taken.
    func confirm()

    /// Lists all entities that the cache holds.
    func recordAll()

    /// Puts the changes that were taken back in front of the later ones.
    func putBack()

    /// Begins a read of the participant's storage.
    ///
    /// Until `endReading()`, the journal keeps the removals and invalidations that are confirmed.
    func beginReading()

    /// Ends a read of the storage that `beginReading()` has begun.
    func endReading()

    /// Evicts some of the values above the limit, as part of the open transaction.
    ///
    /// - Parameter visitsLeft: The number of entries that may still be visited, or `nil` at first.
    /// - Returns: `true` if there may be more values above the limit.
    func evictSome(_ visitsLeft: inout Int?) -> Bool
}
