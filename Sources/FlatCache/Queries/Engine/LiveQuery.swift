/// A query whose result can be kept current.
///
/// The result is current while the query is held, and stored as a `QueryState`. The rows of a value
/// depend on the value and on the entities that they read, so the query computes the rows to remove
/// from the state before a commit, and keeps no copy of them.
final class LiveQuery<Element: Identifiable & Sendable, Payload: QueryPayload>: @unchecked Sendable
where Element.ID: Sendable {
    typealias Row = QueryRow<Element.ID, Payload>
    typealias Rows = QueryRows<Element.ID, Payload>
    typealias State = QueryState<Element, Payload>

    /// The stage of keeping a result current.
    enum Phase { case idle, waitingForFirstRun, current }

    // These properties are constant; `firstRun` has its own lock.

    let number: UInt64
    let definition: QueryDefinition<Element, Payload>
    let table: Table<Element>
    /// The first run; it needs no writers' lock.
    let firstRun = Locked(QueryFirstRun<Element, Payload>())

    // The writers' lock guards the properties below.

    var phase = Phase.idle
    /// The number of observations and tokens that keep the result current.
    var holdCount = 0
    /// The version after which the query has recorded all changes.
    var recordedSince: UInt64 = 0
    /// The keys of the entities that changed during the first run.
    var missedKeys: Set<CacheKey> = []
    /// The observations that wait for the first state.
    var waitingObservations: [WaitingObservation] = []
    var rows: Rows
    /// The number of states that the query has written.
    var stateCount: UInt64 = 0
    /// The identifiers of the rows that have read an entity.
    var dependents: [CacheKey: Set<Element.ID>] = [:]
    /// `true` if the first run has to happen in a commit.
    var mustRunInCommit = false
    /// The changes that the present commit makes to the rows.
    var changes = QueryRowChanges<Element.ID, Payload>()
    /// The changes that an in-place write would make, kept to reuse their memory.
    var inPlaceChanges = QueryRowChanges<Element.ID, Payload>()
    var scratch = QueryScratch<Element.ID, Payload>()
    /// The identifiers whose rows have been compared for the present commit, if rows read entities.
    var comparedIDs: Set<Element.ID> = []
    /// `true` if the present commit has changed the entities that rows read.
    var haveDependentsChanged = false
    /// `true` if the derivation lists the query among the changed ones.
    var isRecorded = false
    init(
        _ definition: QueryDefinition<Element, Payload>,
        number: UInt64,
        of table: Table<Element>
    ) {
        self.definition = definition
        self.number = number
        self.table = table
        rows = definition.rows()
    }
}

extension CacheCore {
    /// Returns the live query of a plan: a new one, or one that is shared as an equal value.
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
