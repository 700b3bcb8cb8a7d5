/// A feature that takes part in the commits of a cache.
///
/// A participant adopts one or more of the protocols that refine this one. A cache calls the
/// participants of a stage in the order of their registration, under the writers' lock, on the
/// thread that commits. They may read the cache, but write only through the `Commit`.
///
/// A cache without participants spends one branch per stage of a commit.
package protocol CommitParticipant: AnyObject, Sendable {}

/// A participant that adds writes to a commit, to any entity, before limits are enforced.
package protocol CommitRewriter: CommitParticipant {
    /// Adds writes to a commit.
    ///
    /// The changes of the commit still include writes that leave their entities unchanged.
    func rewrite(_ commit: inout Commit)
}

/// A participant that keeps entities of its own up to date with the others.
package protocol CommitDeriver: CommitParticipant {
    /// Writes the entities that depend on the commit's changes.
    ///
    /// The commit no longer changes other entities: nothing is evicted afterwards.
    ///
    /// - Precondition: The deriver writes only types that nothing else writes.
    func derive(_ commit: inout Commit)
}

/// A participant that reads the final changes of a commit, and adds notifications.
package protocol CommitRecorder: CommitParticipant {
    /// Reads the changes of a commit that is about to be published.
    func record(_ commit: inout Commit)

    /// Adds the notifications of observers that registered after `record(_:)` and before the commit
    /// was published.
    ///
    /// - Parameters:
    ///   - registrations: The numbers of the registrations.
    ///   - commit: The commit.
    func notify(_ registrations: Set<UInt64>, of commit: inout Commit)

    /// Adds the notifications that end the recorder's observations, since the cache has been
    /// deallocated.
    func end(_ commit: inout Commit)
}

extension CommitRecorder {
    package func notify(_ registrations: Set<UInt64>, of commit: inout Commit) {}
    package func end(_ commit: inout Commit) {}
}

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
