/// A source of a value that a cache can keep current.
protocol ProjectionSource<Output>: Sendable {
    associatedtype Output: Sendable

    func read() -> Output
    func read(in cache: some ReadableCache) -> Output
    func observe(
        initial: Bool,
        _ delivery: CacheDelivery,
        _ body: @escaping @Sendable (StateSourceState<Output>) -> Void
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
        _ body: @escaping @Sendable (StateSourceState<Output>) -> Void
    ) -> Disposable {
        live.observe(in: core, initial: initial, delivery: delivery, "observe(…)") { change, _ in
            if let change, !isChanged(by: change) { return }
            body(.latest { live.read(in: core, output) })
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
