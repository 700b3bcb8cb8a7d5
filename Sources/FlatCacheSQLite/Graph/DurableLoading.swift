#if canImport(SQLite3) || canImport(CSQLite)
/// The time at which a durable graph loads the rows of a type, or the elements of a list.
public enum DurableLoading: Hashable, Sendable {
    /// The graph loads a row when ``SQLiteGraph/load(_:id:)``, an observation or a load of the
    /// cache reaches an entity that the cache lacks. A load of the cache reads the row before it
    /// calls your API.
    case onDemand
    /// The graph loads all rows when it's attached to a cache.
    case atStart
}
#endif
