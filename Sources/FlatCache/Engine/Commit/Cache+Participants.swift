extension Cache {
    /// Adds a participant to the commits of this cache.
    ///
    /// The call doesn't wait for another thread's write. A recorder counts from a version that is
    /// visible during the call, like an observation. A rewriter or a deriver takes part in all
    /// commits that haven't reached its stage.
    ///
    /// - Parameters:
    ///   - participant: The participant, which the cache retains until the token ends.
    ///   - hooks: The closures that keep the writes that the participant needs from being exchanged
    ///     in place: at most one for each type.
    /// - Returns: The token that removes the participant and the hooks.
    package func add(
        _ participant: some CommitParticipant,
        exchangeHooks hooks: [ExchangeHook] = []
    ) -> Disposable {
        core.add(participant, hooks)
    }
}

extension CacheCore {
    func add(_ participant: any CommitParticipant, _ hooks: [ExchangeHook]) -> Disposable {
        let number = nextRegistration()
        let entries = hooks.map { $0.entry(tables) }
        let registration = Registration(
            number: number,
            add: { [unowned self] _ in
                for entry in entries { entry.insert(number) }
                writer.participants.insert(participant, for: number)
            }
        )
        register(registration, "add(_:)")
        // The token retains no hook, since it is released under the writers' lock.
        let removals = entries.map(\.remove)
        return token(for: registration) { writer in
            for remove in removals { writer.releaseLater(remove(number)) }
            if let removed = writer.participants.remove(number) { writer.releaseLater(removed) }
        }
    }
}
