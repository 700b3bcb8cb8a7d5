extension CacheCore {
    /// Returns the live query of a plan: a new one, or one that is shared as an equal value.
    @usableFromInline
    func liveQuery<Element: Identifiable & Sendable>(
        _ plan: QueryPlan<Element>,
        of table: Table<Element>
    ) -> LiveQuery<Element, NoPayload> where Element.ID: Sendable {
        func make() -> LiveQuery<Element, NoPayload> {
            LiveQuery(plan.definition, number: nextRegistration(), of: table)
        }
        guard let value = plan.sharedValue else { return make() }
        let key = SharedQueries.Key(
            value: value,
            type: table.typeIdentifier,
            conditionCount: plan.conditions.count,
            orderCount: plan.orders.count,
            window: plan.window,
            pinsElements: plan.pinsElements
        )
        let (query, released) = sharedQueries.withLock { $0.query(key, make) }
        return withExtendedLifetime(released) { query }
    }
}
