#if canImport(SQLite3) || canImport(CSQLite)
/// A list that a graph keeps.
struct KeptList: Hashable, Sendable {
    /// The name of the list in the cache.
    let name: String
    /// The name of the list in the file.
    let storedName: String
    /// The time at which the elements are loaded.
    let loading: DurableLoading
}
#endif
