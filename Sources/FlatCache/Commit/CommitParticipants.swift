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

    /// Returns whether the removal of all entities of a type must pass the rewriter.
    func needsRemovals(ofType type: ObjectIdentifier) -> Bool
}

extension CommitRewriter {
    package func needsRemovals(ofType type: ObjectIdentifier) -> Bool { false }
}

/// A participant that derives entities from the others and keeps them up to date.
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

    /// Ends the recording, since the cache has been deallocated.
    func end()
}

extension CommitRecorder {
    package func end() {}
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

/// The participants of a cache's commits, by stage, in the order of their registration.
struct CommitParticipants {
    private(set) var rewriters = RegistrationList<any CommitRewriter>()
    private(set) var derivers = RegistrationList<any CommitDeriver>()
    private(set) var recorders = RegistrationList<any CommitRecorder>()
    private(set) var withdrawalRecorders = RegistrationList<any WithdrawalRecorder>()

    mutating func insert(_ participant: any CommitParticipant, for registration: UInt64) {
        if let rewriter = participant as? any CommitRewriter {
            rewriters.insert(rewriter, for: registration)
        }
        if let deriver = participant as? any CommitDeriver {
            derivers.insert(deriver, for: registration)
        }
        if let recorder = participant as? any CommitRecorder {
            recorders.insert(recorder, for: registration)
        }
        if let recorder = participant as? any WithdrawalRecorder {
            withdrawalRecorders.insert(recorder, for: registration)
        }
    }

    /// Removes a participant from all stages; returns it, to be released after the locks.
    mutating func remove(_ registration: UInt64) -> (any CommitParticipant)? {
        defer {
            rewriters.remove(registration)
            derivers.remove(registration)
            recorders.remove(registration)
            withdrawalRecorders.remove(registration)
        }
        return rewriters[registration] ?? derivers[registration] ?? recorders[registration]
            ?? withdrawalRecorders[registration]
    }

    /// `true` if any participant reads the explicit removals and invalidations of commits.
    var readWithdrawals: Bool { !rewriters.isEmpty || !withdrawalRecorders.isEmpty }

    func needRemovals(ofType type: ObjectIdentifier) -> Bool {
        rewriters.contains { $0.needsRemovals(ofType: type) }
    }

    /// Returns the first participant of a type.
    func first<Participant: CommitParticipant>(_ type: Participant.Type) -> Participant? {
        let all: [any CommitParticipant] = Array(rewriters) + Array(derivers) + Array(recorders)
        return all.lazy.compactMap { $0 as? Participant }.first
    }
}

extension Cache {
    /// Adds a participant to the commits of this cache.
    ///
    /// The call doesn't wait for another thread's write. A recorder counts from a version that is
    /// visible during the call, like an observation. A rewriter or a deriver takes part in all
    /// commits that haven't reached its stage.
    ///
    /// - Parameter participant: The participant. The cache retains it until the token ends.
    /// - Returns: The token that removes the participant.
    package func add(_ participant: any CommitParticipant) -> Disposable {
        let number = core.nextRegistration()
        let registration = PendingRegistration(
            number: number,
            add: { [unowned core] _ in core.writer.participants.insert(participant, for: number) }
        )
        core.register(registration, "add(_:)")
        return core.token(for: registration) { writer in
            if let removed = writer.participants.remove(number) { writer.releaseLater(removed) }
        }
    }
}
