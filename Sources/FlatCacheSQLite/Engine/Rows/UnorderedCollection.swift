#if canImport(SQLite3) || canImport(CSQLite)
/// A collection whose elements have another order in each process.
protocol UnorderedCollection {}
extension Set: UnorderedCollection {}
extension Dictionary: UnorderedCollection {}
#endif
