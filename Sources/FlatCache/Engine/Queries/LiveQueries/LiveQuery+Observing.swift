extension LiveQuery {
    /// Keeps the result current and adds an observation of it.
    ///
    /// - Parameters:
    ///   - initial: A Boolean value that indicates whether the observer is also called when the
    ///     observation begins.
    ///   - operation: The name of the public method.
    ///   - body: A closure that receives each change of the shown rows or of their order, with the
    ///     number of the commit. In the initial call, there's no change.
    @usableFromInline
    func observe(
        in core: CacheCore,
        initial: Bool,
        delivery: CacheDelivery,
        _ operation: StaticString,
        _ body: @escaping @Sendable (_ change: Transition?, _ version: UInt64) -> Void
    ) -> Disposable {
        // The result is current, or about to become so, before the observation begins.
        let hold = hold(in: core, operation)
        let awaitsInitialCall = Locked(initial)
        let first = FirstChange(nil)
        let observation = core.observe(
            number,
            in: core.tables.table(of: State.self),
            initial: initial ? .always : .never,
            following: .none,
            wantsCauses: false,
            delivery: delivery,
            begin: { [unowned core] in self.beginObservation($0, first, in: core) }
        ) { change in
            let isInitial = awaitsInitialCall.withLock { awaits in
                defer { awaits = false }
                return awaits
            }
            if isInitial { return body(nil, change.version) }
            if let transition = self.transition(change, first) { body(transition, change.version) }
        }
        return Disposable(stopping: observation.dispose, hold.dispose)
    }

    /// Returns the change of the shown rows, if there is one.
    @usableFromInline
    func transition(
        _ change: EntityChange<State>,
        _ first: FirstChange
    ) -> Transition? {
        guard let new = change.new else { return nil }
        guard let old = change.old else { return first.withLock { $0.take() } }
        guard new.isVisiblyChanged else { return nil }
        return Transition(from: old.rows, to: new.rows, new.contents.changes, of: self)
    }

    /// Keeps the result current and adds an observation of its changes.
    @usableFromInline
    func observeChanges(
        in core: CacheCore,
        delivery: CacheDelivery,
        _ body: @escaping @Sendable (_ change: Transition, _ version: UInt64) -> Void
    ) -> Disposable {
        observe(in: core, initial: false, delivery: delivery, "observeChanges(…)") {
            if let change = $0 { body(change, $1) }
        }
    }

    /// Adds an observation of the latest visible result.
    func observe<Output>(
        in core: CacheCore,
        initial: Bool,
        delivery: CacheDelivery,
        _ read: @escaping @Sendable (QueryResult<Element, Payload>) -> Output,
        _ body: @escaping @Sendable (Output) -> Void
    ) -> Disposable {
        observe(in: core, initial: initial, delivery: delivery, "observe(…)") { _, _ in
            // A result that was removed with its cache isn't reported as empty.
            if let output = self.read(in: core, read) { body(output) }
        }
    }

    /// Returns a source of the latest visible result, on which sequences and publishers are built.
    func stateSource<Output: Sendable>(
        in core: CacheCore,
        _ read: @escaping @Sendable (QueryResult<Element, Payload>) -> Output
    ) -> StateSource<Output> {
        StateSource { delivery, receive in
            self.observe(in: core, initial: true, delivery: delivery, "observe(…)") { _, _ in
                receive(.latest { self.read(in: core, read) })
            }
        }
    }
}
