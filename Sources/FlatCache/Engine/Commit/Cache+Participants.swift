extension Cache {
    /// Adds a participant to the commits of this cache.
    ///
    /// The call doesn't wait for another thread's write. A recorder counts from a version that is
    /// visible during the call, like an observation. A rewriter or a deriver takes part in all
    /// commits that haven't reached its stage.
    ///
    /// - Parameter participant: The participant, which the cache retains until the token ends.
    /// - Returns: The token that removes the participant.
    package func add(_ participant: some CommitParticipant) -> Disposable {
        core.add(participant)
    }

    /// Adds a closure that decides whether a value may be exchanged in place, without a commit that
    /// passes the participants.
    ///
    /// The cache calls the closure under the writers' lock, before each exchange of a value of the
    /// type. It must not use the cache. If another closure refuses the exchange, the write passes
    /// the stages of a commit although this closure has been called.
    ///
    /// To miss no write, add the closure before the participant.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - hook: A closure that receives the stored and the new value. If it returns `false`, the
    ///     write passes the stages of a commit.
    /// - Returns: The token that removes the closure.
    package func addExchangeHook<Value: Identifiable & Sendable>(
        of type: Value.Type,
        _ hook: @escaping ExchangeHook<Value>
    ) -> Disposable where Value.ID: Sendable {
        core.addExchangeHook(hook, to: core.tables.table(of: type))
    }
}

/// A closure that decides whether a value may be exchanged in place for a new one.
package typealias ExchangeHook<Value> = @Sendable (_ stored: Value, _ new: Value) -> Bool

extension CacheCore {
    func add(_ participant: any CommitParticipant) -> Disposable {
        let number = nextRegistration()
        let registration = Registration(
            number: number,
            add: { [unowned self] in writer.participants.insert(participant, for: number) }
        )
        register(registration, "add(_:)")
        return token(for: registration) { writer in
            if let removed = writer.participants.remove(number) { writer.releaseLater(removed) }
        }
    }

    func addExchangeHook<Value: Identifiable & Sendable>(
        _ hook: @escaping ExchangeHook<Value>,
        to table: Table<Value>
    ) -> Disposable where Value.ID: Sendable {
        let number = nextRegistration()
        let registration = Registration(
            number: number,
            add: { [unowned table] in table.exchangeHooks.insert(hook, for: number) }
        )
        register(registration, "addExchangeHook(of:_:)")
        return token(for: registration) { [unowned table] writer in
            writer.releaseLater(Released(table.exchangeHooks[number]))
            table.exchangeHooks.remove(number)
        }
    }
}
