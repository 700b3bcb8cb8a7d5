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

    /// Returns whether an observer has to learn of a commit that has changed the shown rows.
    func isChanged(by transition: Transition) -> Bool {
        transition.hasMissedCommits || isChanged?(transition) ?? true
    }
}

extension QueryPlan {
    /// Returns the definition of a result whose rows are aggregated.
    ///
    /// - Parameters:
    ///   - isGrouped: A Boolean value that indicates whether the rows are ordered by their keys
    ///     first, and then as in the query.
    ///   - key: A closure that returns the key of a value's group, or `nil`.
    func definition<Key: Hashable & Sendable, Value: Equatable & Sendable>(
        _ aggregate: QueryAggregate<Element, Value>,
        isGrouped: Bool,
        usesReader: Bool,
        key: @escaping @Sendable (Element, QueryReader) -> Key?
    ) -> QueryDefinition<Element, GroupMember<Key, Value>> {
        typealias Member = GroupMember<Key, Value>
        let group: @Sendable (Member) -> QuerySortKey = { QuerySortKey(grouping: $0.key) }
        return definition(
            groupedBy: isGrouped ? group : nil,
            usesReader: usesReader || aggregate.usesReader,
            payload: { value, reader in
                Member(
                    key: key(value, reader)?.ifEqualToItself,
                    value: aggregate.value(value, reader)
                )
            },
            isUpdated: { old, new, _ in
                old.key != new.key || !Member.areSame(old.value, new.value)
            },
            combining: aggregate.combine
        )
    }
}

extension QueryResult {
    /// The maximum number of removals and insertions by which an array is updated.
    ///
    /// Each of them moves the following elements, so for more of them the array is computed again.
    static var maximumMoves: Int { 16 }

    /// The payload of the first shown row.
    var first: Payload? { shown.isEmpty ? nil : rows[shown.lowerBound].payload }
}
