extension LiveQuery {
    /// Keeps the result current and adds an observation of it.
    ///
    /// - Parameters:
    ///   - initial: `true` if the observer is also called when the observation begins.
    ///   - operation: The name of the public method.
    ///   - body: A closure that receives each change of the shown rows or of their order, with the
    ///     number of the commit. In the initial call, there's no change.
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

    private func transition(_ change: EntityChange<State>, _ first: FirstChange) -> Transition? {
        guard let new = change.new else { return nil }
        guard let old = change.old else { return first.withLock { $0.take() } }
        guard new.contents.isVisiblyChanged, let changes = new.contents.changes else { return nil }
        return Transition(from: old.contents.rows, to: new.contents.rows, changes, of: self)
    }

    /// Keeps the result current and adds an observation of its changes.
    func observeChanges(
        in core: CacheCore,
        delivery: CacheDelivery,
        _ body: @escaping @Sendable (_ change: Transition, _ version: UInt64) -> Void
    ) -> Disposable {
        observe(in: core, initial: false, delivery: delivery, "observeChanges(…)") {
            if let change = $0 { body(change, $1) }
        }
    }
}

/// The results of a query before and after a commit.
///
/// It's an object because the closures that pass it on would otherwise copy both results.
final class QueryTransition<Element: Identifiable & Sendable, Payload: QueryPayload>: Sendable
where Element.ID: Sendable {
    let old: QueryRows<Element.ID, Payload>
    let new: QueryRows<Element.ID, Payload>
    /// The changes between the two.
    let changes: QueryRowChanges<Element.ID, Payload>
    let query: LiveQuery<Element, Payload>
    /// `true` if other commits came between the two results, so that an observer may have read one
    /// of their results.
    let hasMissedCommits: Bool
    init(
        from old: QueryRows<Element.ID, Payload>,
        to new: QueryRows<Element.ID, Payload>,
        _ changes: QueryRowChanges<Element.ID, Payload>,
        of query: LiveQuery<Element, Payload>,
        hasMissedCommits: Bool = false
    ) {
        self.old = old
        self.new = new
        self.changes = changes
        self.query = query
        self.hasMissedCommits = hasMissedCommits
    }

    var window: QueryWindow { query.definition.window }
    /// The positions of the rows that the query showed before the commit.
    var oldShown: Range<Int> { window.positions(of: old.count) }
    /// The positions of the rows that the query shows after the commit.
    var shown: Range<Int> { window.positions(of: new.count) }

    var oldIDs: [Element.ID] { old.ids(in: oldShown) }
    var ids: [Element.ID] { new.ids(in: shown) }

    /// The identifiers of the shown rows whose values have changed.
    var updatedIDs: Set<Element.ID> {
        let updated = changes.updated
        if window.isEverything { return Set(updated.map(\.id)) }
        let shown = shown
        return Set(updated.filter { shown.contains(new.position(of: $0)) }.map(\.id))
    }

    var difference: RowDifference<Element.ID> { new.difference(from: old, in: window, changes) }
}
