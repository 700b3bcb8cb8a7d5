/// A source of a value that a cache can keep current.
protocol ProjectionSource<Output>: Sendable {
    associatedtype Output: Sendable

    func read() -> Output
    func read(in cache: some ReadableCache) -> Output
    func observe(
        initial: Bool,
        _ delivery: CacheDelivery,
        _ body: @escaping @Sendable (StateNotification<Output>) -> Void
    ) -> Disposable
    func keepCurrent() -> Disposable
}

/// A value that is computed from the result of a live query.
struct LiveProjection<Element: Identifiable & Sendable, Payload: QueryPayload, Output: Sendable>:
    ProjectionSource
where Element.ID: Sendable {
    typealias Rows = QueryRows<Element.ID, Payload>
    typealias Transition = QueryTransition<Element, Payload>

    /// The value of a stored state.
    private struct Known: Sendable {
        var state: QueryState<Element, Payload>.Contents
        var output: Output

        mutating func advance(
            to state: QueryState<Element, Payload>.Contents,
            _ update: (inout Output) -> Void
        ) {
            update(&output)
            self.state = state
        }
    }

    let live: LiveQuery<Element, Payload>
    let core: CacheCore
    /// A closure that returns whether a commit has changed the value, or `nil` if each change of
    /// the shown rows does.
    private let isChanged: (@Sendable (Transition) -> Bool)?
    /// A closure that updates the value before a commit, or `nil` if each read computes the value.
    private let update: (@Sendable (inout Output, Transition) -> Void)?
    /// A closure that returns the value of some rows and of the positions that are shown.
    private let value: @Sendable (Rows, _ shown: Range<Int>) -> Output
    /// The value that was read last, if it can be updated.
    private let latest = Locked<Known?>(nil)

    init(
        _ live: LiveQuery<Element, Payload>,
        in core: CacheCore,
        isChanged: (@Sendable (Transition) -> Bool)? = nil,
        updating update: (@Sendable (inout Output, Transition) -> Void)? = nil,
        _ value: @escaping @Sendable (Rows, _ shown: Range<Int>) -> Output
    ) {
        self.live = live
        self.core = core
        self.isChanged = isChanged
        self.update = update
        self.value = value
    }

    func read() -> Output {
        live.read(in: core, latestValue) ?? value(live.definition.rows(), 0..<0)
    }

    func read(in cache: some ReadableCache) -> Output {
        live.read(in: cache, core) { value($0.rows, $0.shown) }
    }

    /// Returns the value of a result: the one that was read last, if one commit at most has changed
    /// the result since then, or else a new one.
    private func latestValue(of result: QueryResult<Element, Payload>) -> Output {
        guard let update, let state = result.state else { return value(result.rows, result.shown) }
        // The value is taken out, so that the update changes it in place, unless a caller has kept
        // it. Updates call a client's code, so they happen without the lock.
        var known = latest.withLock { $0.take() }
        if let old = known?.state, old.number + 1 == state.number, let changes = state.changes {
            let transition = Transition(from: old.rows, to: state.rows, changes, of: live)
            known?.advance(to: state) { update(&$0, transition) }
        } else if known?.state !== state {
            known = Known(state: state, output: value(result.rows, result.shown))
        }
        defer { latest.withLock { swap(&$0, &known) } }
        return known?.output ?? value(result.rows, result.shown)
    }

    func keepCurrent() -> Disposable { live.hold(in: core, "keepCurrent()") }

    func observe(
        initial: Bool,
        _ delivery: CacheDelivery,
        _ body: @escaping @Sendable (StateNotification<Output>) -> Void
    ) -> Disposable {
        live.observe(in: core, initial: initial, delivery: delivery, "observe(…)") { change, _ in
            if let change, !isChanged(by: change) { return }
            body(.latest { read() })
        }
    }

    /// Returns a projection whose changes have the values before and after.
    ///
    /// - Parameter load: A closure that loads an entity while an observation lasts.
    func projection(
        loading load: (@Sendable (_ during: Disposable) -> Disposable)? = nil
    ) -> CachedProjection<Output, ValueChange<Output>> {
        CachedProjection(self, loading: load) { delivery, receive in
            live.observeChanges(in: core, delivery: delivery) { change, _ in
                if !isChanged(by: change) { return }
                let old = value(change.old, change.oldShown)
                receive(ValueChange(old: old, new: value(change.new, change.shown)))
            }
        }
    }

    /// Returns whether the observers are notified of a commit that has changed the shown rows.
    private func isChanged(by transition: Transition) -> Bool {
        transition.hasMissedCommits || isChanged?(transition) ?? true
    }
}

/// The payload of rows that a closure computes.
@usableFromInline
struct MappedRow<Output: Sendable>: QueryPayload {
    @usableFromInline typealias Summary = NoSummary
    @usableFromInline typealias Combining = NoSummary

    @usableFromInline let output: Output

    @usableFromInline
    init(output: Output) { self.output = output }
}

extension QueryRows {
    /// Returns the rows that a closure has computed, at some positions.
    func outputs<Output>(in positions: Range<Int>) -> [Output]
    where Payload == MappedRow<Output> {
        payloads(in: positions).map(\.output)
    }

    /// Updates the rows that a closure had computed for the window before a commit.
    func update<Element, Output>(
        _ outputs: inout [Output],
        _ transition: QueryTransition<Element, Payload>
    ) where Payload == MappedRow<Output>, Element.ID == ID {
        let shown = transition.shown
        let difference = transition.difference
        // Each removal and each insertion moves the following elements of the array.
        if difference.removals.count + difference.insertions.count > 16 {
            outputs = self.outputs(in: shown)
            return
        }
        for step in difference.removals.reversed() { outputs.remove(at: step.offset) }
        for step in difference.insertions {
            outputs.insert(self[shown.lowerBound + step.offset].payload.output, at: step.offset)
        }
        for step in difference.stayed {
            outputs[step.offset] = self[shown.lowerBound + step.offset].payload.output
        }
    }
}
