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
