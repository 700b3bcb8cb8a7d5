/// A feature that takes part in the commits of a cache.
///
/// A participant adopts one or more of the protocols that refine this one. A cache calls the
/// participants of a stage in the order of their registration, under the writers' lock, on the
/// thread that commits. They may read the cache, but write only through the `Commit`.
///
/// A cache without participants spends one branch per stage of a commit.
package protocol CommitParticipant: AnyObject, Sendable {}
