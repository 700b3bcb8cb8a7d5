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

    /// Returns the value of a result.
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
        // The closure returns the replaced value, which is released after the lock.
        _ = known.withLock { known -> Known? in
            if let number = known?.number, number >= state.number { return nil }
            defer { known = Known(number: state.number, rows: state.rows, output: output) }
            return known
        }
        return output
    }
}
