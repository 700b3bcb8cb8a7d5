/// A participant that learns of explicit removals and invalidations, whether or not memory holds
/// the entities.
///
/// Evictions, expiries and prunings aren't withdrawals: a `CommitRecorder` sees them among the
/// changes, with their reasons.
package protocol WithdrawalRecorder: CommitParticipant {
    /// Records a removal or an invalidation, at the end of its transaction.
    ///
    /// The cache calls the method under the writers' lock, also if the transaction has changed
    /// nothing else, but not if it's rolled back. The transaction may have stored the entities
    /// again.
    func record(_ withdrawal: Withdrawal)
}
