/// A journal of any type.
///
/// `CacheAccess` calls the requirements, under the writers' lock.
package protocol AnyChangeJournal: WithdrawalRecorder {
    /// The number of entities, removals and invalidations that aren't written yet.
    var pendingCount: Int { get }

    /// Takes the changes so far, so that further changes are collected anew.
    func take()

    /// Ends the writing of the changes that were taken.
    func confirm()

    /// Lists all entities that the cache holds.
    func recordAll()

    /// Puts the changes that were taken back in front of the later ones.
    func putBack()

    /// Begins to keep the removals and invalidations that are confirmed in the meantime.
    func beginReading()

    /// Ends what `beginReading()` has begun.
    func endReading()

    /// Evicts some of the values above the limit, as part of the open transaction; returns whether
    /// there may be more.
    ///
    /// - Parameter visitsLeft: The number of entries that may still be visited, or `nil` at first.
    func evictSome(_ visitsLeft: inout Int?) -> Bool
}
