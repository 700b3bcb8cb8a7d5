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
    typealias Transition = QueryTransition<Element, Payload>

    let live: LiveQuery<Element, Payload>
    let core: CacheCore
    /// A closure that returns whether a commit has changed the value, or `nil` if each change of
    /// the shown rows does.
    var isChanged: (@Sendable (Transition) -> Bool)?
    let output: @Sendable (QueryResult<Element, Payload>) -> Output

    func read() -> Output {
        live.read(in: core, output)
            ?? output(
                QueryResult(
                    live.definition.rows(),
                    of: live,
                    QueryReader(core, at: nil, recordsReads: false)
                )
            )
    }

    func read(in cache: some ReadableCache) -> Output { live.read(in: cache, core, output) }

    func keepCurrent() -> Disposable { live.hold(in: core, "keepCurrent()") }

    func observe(
        initial: Bool,
        _ delivery: CacheDelivery,
        _ body: @escaping @Sendable (StateNotification<Output>) -> Void
    ) -> Disposable {
        live.observe(in: core, initial: initial, delivery: delivery, "observe(…)") { change, _ in
            if let change, !isChanged(by: change) { return }
            body(.latest { live.read(in: core, output) })
        }
    }

    /// Returns a projection whose changes have the values before and after.
    ///
    /// - Parameters:
    ///   - load: A closure that loads an entity while an observation lasts.
    ///   - value: A closure that returns the value of some rows and of the positions that are
    ///     shown.
    func projection(
        loading load: (@Sendable (_ during: Disposable) -> Disposable)? = nil,
        _ value: @escaping @Sendable (QueryRows<Element.ID, Payload>, Range<Int>) -> Output
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
    func isChanged(by transition: Transition) -> Bool {
        transition.hasMissedCommits || isChanged?(transition) ?? true
    }
}

extension QueryResult {
    /// The maximum number of removals and insertions for which an array is updated.
    ///
    /// Each of them moves the following elements. If there are more, the array is computed again.
    static var maximumMoves: Int { 16 }

    /// The payload of the first shown row.
    var first: Payload? { shown.isEmpty ? nil : rows[shown.lowerBound].payload }
}

/// The value that a projection computed last, and that the next read updates.
///
/// If more than one state has followed, the read computes the value again.
final class LatestOutput<Element: Identifiable & Sendable, Payload: QueryPayload, Output: Sendable>:
    Sendable
where Element.ID: Sendable {
    typealias Result = QueryResult<Element, Payload>
    /// A closure that updates the value of an older result to a result's value.
    typealias Update =
        @Sendable (inout Output, QueryTransition<Element, Payload>, Result) -> Void

    private struct Known: Sendable {
        /// The number of the state from which the value was computed.
        let number: UInt64
        let rows: QueryRows<Element.ID, Payload>
        var output: Output
    }

    private let known = Locked<Known?>(nil)
    private let compute: @Sendable (Result) -> Output
    private let update: Update

    init(
        computing compute: @escaping @Sendable (Result) -> Output,
        updating update: @escaping Update
    ) {
        self.compute = compute
        self.update = update
    }

    func output(of result: Result) -> Output {
        guard let state = result.state else { return compute(result) }
        guard var known = takeKnown(for: state) else { return store(compute(result), of: state) }
        if known.number != state.number {
            let transition = QueryTransition(
                from: known.rows,
                to: state.rows,
                state.changes,
                of: result.query
            )
            update(&known.output, transition, result)
        }
        return store(known.output, of: state)
    }

    /// Removes and returns the value of a state or of the state before it.
    ///
    /// The value then has one reference, unless a caller of an earlier read has kept it, so that
    /// the update changes it in place. The update calls user code, so it needs to happen without
    /// the lock.
    private func takeKnown(for state: QueryState<Element, Payload>.Contents) -> Known? {
        known.withLock { known in
            guard let number = known?.number else { return nil }
            let isBefore = number + 1 == state.number && state.changes != nil
            return isBefore || number == state.number ? known.take() : nil
        }
    }

    private func store(
        _ output: Output,
        of state: QueryState<Element, Payload>.Contents
    ) -> Output {
        // The closure returns the replaced value. It's released after the lock.
        _ = known.withLock { known -> Known? in
            if let number = known?.number, number >= state.number { return nil }
            defer { known = Known(number: state.number, rows: state.rows, output: output) }
            return known
        }
        return output
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

extension QueryResult {
    func outputs<Output>() -> [Output] where Payload == MappedRow<Output> {
        rows.outputs(at: 0..., of: shown)
    }

    /// Updates the computed rows before a commit to the rows of this result.
    func update<Output>(
        _ outputs: inout [Output],
        _ transition: QueryTransition<Element, Payload>
    ) where Payload == MappedRow<Output> {
        let difference = transition.difference
        if difference.removals.count + difference.insertions.count > Self.maximumMoves {
            outputs = self.outputs()
            return
        }
        func output(at offset: Int) -> Output { rows[shown.lowerBound + offset].payload.output }
        for step in difference.removals.reversed() { outputs.remove(at: step.offset) }
        for step in difference.insertions {
            outputs.insert(output(at: step.offset), at: step.offset)
        }
        for step in difference.stayed { outputs[step.offset] = output(at: step.offset) }
    }
}

extension QueryRows {
    /// Returns the rows that a closure has computed, at some positions of a window.
    ///
    /// The positions may lie beyond its end.
    func outputs<Output>(
        at positions: some RangeExpression<Int>,
        of shown: Range<Int>
    ) -> [Output] where Payload == MappedRow<Output> {
        let positions = shown.positions(positions)
        var outputs: [Output] = []
        outputs.reserveCapacity(positions.count)
        forEach(in: positions) { outputs.append($0.payload.output) }
        return outputs
    }
}
