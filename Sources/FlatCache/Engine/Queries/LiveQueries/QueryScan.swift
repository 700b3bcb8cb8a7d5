/// The rows of a query as of an open snapshot, from a run without the writers' lock.
struct QueryScan<Element: Identifiable & Sendable, Payload: QueryPayload>
where Element.ID: Sendable {
    let version: UInt64
    let rows: QueryRows<Element.ID, Payload>
    /// The identifiers of the rows that have read an entity.
    let dependents: [CacheKey: Set<Element.ID>]
    /// The functions that make the deriver follow the types that have been read.
    let types: [@Sendable (QueryDeriver) -> Void]
}
