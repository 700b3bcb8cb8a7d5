/// A participant that adds writes to a commit, to any entity, before limits are enforced.
package protocol CommitRewriter: CommitParticipant {
    /// Adds writes to a commit.
    ///
    /// The changes of the commit still include writes that leave their entities unchanged.
    func rewrite(_ commit: inout Commit)

    /// Returns whether the removal of all entities of a type must pass the rewriter.
    func needsRemovals(ofType type: ObjectIdentifier) -> Bool
}

extension CommitRewriter {
    package func needsRemovals(ofType type: ObjectIdentifier) -> Bool { false }
}
