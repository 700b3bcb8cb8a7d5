/// The conditions, the order and the window of a query.
@usableFromInline
struct QueryPlan<Element: Identifiable & Sendable>: Sendable where Element.ID: Sendable {
    @usableFromInline
    typealias Condition = @Sendable (Element, QueryReader) -> Bool
    /// A closure that evaluates the conditions for a value and, if all of them hold, appends the
    /// value's row with its sort key.
    ///
    /// For example, the row appender of `where { $0.copies > 0 }.sorted(by: \.title)` appends a row
    /// with the title and the identifier of each book that has copies.
    @usableFromInline
    typealias RowAppender =
        @Sendable (Element, QueryReader, inout [QueryRow<Element.ID, NoPayload>]) -> Void
    @usableFromInline
    typealias Order = @Sendable (Element, QueryReader) -> QuerySortKey

    @usableFromInline var conditions: [Condition] = []
    @usableFromInline var orders: [Order] = []
    var window = QueryWindow()
    var indexConditions: [any AnyIndexCondition<Element>] = []
    var readIndexes: [any AnyReadIndex] = []
    /// `true` if a condition or an order may read other entities.
    @usableFromInline var usesReader = false
    @usableFromInline let pinsElements: Bool
    /// The steps of a query whose rows are the entities themselves.
    @usableFromInline let steps: QuerySteps<Element, NoPayload>
    /// A closure that combines conditions and orders to a row appender.
    @usableFromInline let rowAppender: @Sendable ([Condition], [Order]) -> RowAppender
    /// The value by which the query shares its result, or `nil` if the query doesn't share it.
    @usableFromInline let sharedValue: SharedQueryValue?

    // The closures are compiled in the client's module, so that they're specialized for `Element`.
    @inlinable
    init(sharingKey value: SharedQueryValue?, pinsElements: Bool) {
        sharedValue = value
        self.pinsElements = pinsElements
        steps = QuerySteps()
        rowAppender = { conditions, orders in
            { value, reader, rows in
                for condition in conditions where !condition(value, reader) { return }
                let key = Self.sortKey(of: value, reader, by: orders)
                rows.append(QueryRow(key: key, id: value.id, payload: NoPayload()))
            }
        }
    }

    @inlinable
    static func sortKey(
        of value: Element,
        _ reader: QueryReader,
        by orders: [Order]
    ) -> QuerySortKey {
        switch orders.count {
        case 0: .none
        case 1: orders[0](value, reader)
        default: QuerySortKey(orders.map { $0(value, reader) })
        }
    }

    /// The definition of a result whose rows are the entities themselves.
    var definition: QueryDefinition<Element, NoPayload> {
        definition(
            appendRows: rowAppender(conditions, orders),
            isUpdated: { _, _, isValueChanged in isValueChanged },
            usesReader: false,
            combining: NoSummary(),
            steps: steps
        )
    }

    /// Returns the definition of a result whose rows have a payload.
    ///
    /// The method is compiled in the client's module, like the steps of rows without a payload.
    ///
    /// - Parameters:
    ///   - group: A closure that returns the sort key of a row's group, by which the rows are
    ///     ordered first.
    ///   - usesReader: `true` if one of the closures may read other entities.
    ///   - payload: A closure that returns the payload of a value's row.
    ///   - isUpdated: A closure that returns whether a row has changed.
    @inlinable
    func definition<Payload: QueryPayload>(
        groupedBy group: (@Sendable (Payload) -> QuerySortKey)? = nil,
        usesReader: Bool,
        payload: @escaping @Sendable (Element, QueryReader) -> Payload,
        isUpdated: @escaping @Sendable (Payload, Payload, Bool) -> Bool,
        combining: Payload.Combining
    ) -> QueryDefinition<Element, Payload> {
        definition(
            appendRows: { [conditions, orders] value, reader, rows in
                for condition in conditions where !condition(value, reader) { return }
                let payload = payload(value, reader)
                var key = Self.sortKey(of: value, reader, by: orders)
                if let group {
                    key = orders.isEmpty ? group(payload) : QuerySortKey(group(payload), then: key)
                }
                rows.append(QueryRow(key: key, id: value.id, payload: payload))
            },
            isUpdated: isUpdated,
            usesReader: usesReader,
            combining: combining,
            steps: QuerySteps()
        )
    }

    @usableFromInline
    func definition<Payload: QueryPayload>(
        appendRows:
            @escaping @Sendable (Element, QueryReader, inout [QueryRow<Element.ID, Payload>]) ->
            Void,
        isUpdated: @escaping @Sendable (Payload, Payload, Bool) -> Bool,
        usesReader: Bool,
        combining: Payload.Combining,
        steps: QuerySteps<Element, Payload>
    ) -> QueryDefinition<Element, Payload> {
        QueryDefinition(
            appendRows: appendRows,
            isUpdated: isUpdated,
            usesReader: self.usesReader || usesReader,
            window: window,
            indexConditions: indexConditions,
            readIndexes: readIndexes,
            pinsElements: pinsElements,
            combining: combining,
            steps: steps
        )
    }
}
