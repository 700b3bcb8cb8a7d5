/// The participants of a cache's commits, by stage, in the order of their registration.
struct CommitParticipants {
    private(set) var rewriters = RegistrationList<any CommitRewriter>()
    private(set) var derivers = RegistrationList<any CommitDeriver>()
    private(set) var recorders = RegistrationList<any CommitRecorder>()
    private(set) var withdrawalRecorders = RegistrationList<any WithdrawalRecorder>()

    /// Adds a participant to each stage that it takes part in.
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
        let removed: (any CommitParticipant)? =
            rewriters[registration] ?? derivers[registration] ?? recorders[registration]
            ?? withdrawalRecorders[registration]
        defer {
            rewriters.remove(registration)
            derivers.remove(registration)
            recorders.remove(registration)
            withdrawalRecorders.remove(registration)
        }
        return removed
    }

    /// Returns the rewriter of a type, if there is one.
    func rewriter<Rewriter: CommitRewriter>(of type: Rewriter.Type) -> Rewriter? {
        var found: Rewriter?
        rewriters.forEach { if let rewriter = $0 as? Rewriter { found = rewriter } }
        return found
    }

    /// Returns whether the removal of all entities of a type must pass a rewriter.
    func needRemovals(ofType type: ObjectIdentifier) -> Bool {
        var needsRemovals = false
        rewriters.forEach { if $0.needsRemovals(ofType: type) { needsRemovals = true } }
        return needsRemovals
    }

    /// Returns the deriver of a type, if there is one.
    func deriver<Deriver: CommitDeriver>(of type: Deriver.Type) -> Deriver? {
        var found: Deriver?
        derivers.forEach { if let deriver = $0 as? Deriver { found = deriver } }
        return found
    }

    /// Returns the recorder of a type, if there is one.
    func recorder<Recorder: CommitRecorder>(of type: Recorder.Type) -> Recorder? {
        var found: Recorder?
        recorders.forEach { if let recorder = $0 as? Recorder { found = recorder } }
        return found
    }
}
