/// A participant that keeps entities of its own up to date with the others.
package protocol CommitDeriver: CommitParticipant {
    /// Writes the entities that depend on the commit's changes.
    ///
    /// The commit no longer changes other entities: nothing is evicted afterwards.
    ///
    /// - Precondition: The deriver writes only types that nothing else writes.
    func derive(_ commit: inout Commit)
}
