#if canImport(SQLite3) || canImport(CSQLite)
public import Foundation

/// The size of a durable graph's file, and the state of its flushes.
public struct SQLiteGraphStatistics: Hashable, Sendable {
    /// The number of rows of each type, by its name in the file.
    ///
    /// The lists and aliases of a type `"book"` are counted as `"flatcache_lists_book"` and
    /// `"flatcache_aliases_book"`, and responses as `"flatcache_responses"`.
    public let rowCounts: [String: Int]

    /// The total size of the encoded values of each type in bytes, by its name in the file.
    ///
    /// For example, `byteCounts["book"]` is the size of the values of `Durable(Book.self, "book")`.
    public let byteCounts: [String: Int]

    /// The number of rows in the quarantine.
    public let quarantinedRowCount: Int

    /// The size of the file in bytes, without SQLite's log.
    public let fileSize: Int

    /// The size of SQLite's log beside the file in bytes.
    ///
    /// The log grows while another process reads the file. Later transactions shrink it.
    public let logSize: Int

    /// The number of changes to entities that the graph hasn't written yet.
    public let pendingChangeCount: Int

    /// The number of transactions that the graph has written.
    public let transactionCount: Int

    /// The time of the latest transaction, or `nil` if there was none.
    public let lastFlush: Date?
}
#endif
