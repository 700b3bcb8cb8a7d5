#if canImport(SQLite3) || canImport(CSQLite)
/// The number, the time and the writer of a transaction.
struct TransactionMark: Hashable, Sendable {
    /// The position in the order of the file's transactions, from 1.
    let number: Int64
    /// The time of the first commit that the transaction contains.
    let time: WallTime
    /// The random number of the graph that wrote the transaction.
    ///
    /// Of two changes of the same time, the change of the greater number wins.
    let writer: Int64
}

/// The changes of one or more transactions to the rows of a type.
struct TransactionRecord: Sendable {
    /// The rows that a record concerns besides those in its lists.
    struct Scope: OptionSet, Sendable {
        let rawValue: Int

        /// All rows of the type were removed before the listed ones were stored.
        static let removesAll = Scope(rawValue: 1)
        /// Any row may have been stored, since the record doesn't list all of them.
        static let storesUnlisted = Scope(rawValue: 2)
        /// Any row may have been removed, since the record doesn't list all of them.
        static let removesUnlisted = Scope(rawValue: 4)
    }

    /// The mark of the latest transaction that the record contains.
    let mark: TransactionMark
    /// The name of the type in the file.
    let type: String
    /// The time at which the transaction was written.
    let written: WallTime
    var scope: Scope = []
    var stored: [RowIdentifier]
    /// The identifiers of the rows that were removed explicitly.
    var removed: [RowIdentifier]
    /// The prefixes of the lists that were removed before the listed rows were removed or stored.
    ///
    /// A graph that imports the record removes all its lists with these prefixes, since the file
    /// may have no rows of some of them.
    var removedPrefixes: [String] = []
    /// The marks of a merged record's changes.
    ///
    /// The mark of the removal of all rows comes first, then those of the removed prefixes, of the
    /// removed rows, and of the stored ones. If there are none, all changes have the record's own
    /// mark.
    var marks: [TransactionMark] = []

    var markCount: Int {
        (scope.contains(.removesAll) ? 1 : 0) + removedPrefixes.count + stored.count
            + removed.count
    }
}

extension TransactionRecord {
    /// Creates the record that contains the changes of several records of one type, in their
    /// order, or returns `nil` without any.
    init?(merging records: [TransactionRecord]) {
        guard let last = records.last else { return nil }
        let changes = ChangesOfOthers(records, of: last.type, for: last.mark.writer)
        var scope: Scope = []
        if changes.removesAll != nil { scope.insert(.removesAll) }
        if changes.storesUnlisted { scope.insert(.storesUnlisted) }
        if changes.removesUnlisted { scope.insert(.removesUnlisted) }
        let stored = changes.stored.sorted { $0.key < $1.key }
        let removed = changes.removed.sorted { $0.key < $1.key }
        let prefixes = changes.removedPrefixes.sorted { $0.key < $1.key }
        let marks =
            [changes.removesAll].compactMap { $0 } + prefixes.map(\.value) + removed.map(\.value)
            + stored.map(\.value)
        self.init(
            mark: last.mark,
            type: last.type,
            written: last.written,
            scope: scope,
            stored: stored.map(\.key),
            removed: removed.map(\.key),
            removedPrefixes: prefixes.map(\.key),
            marks: marks.allSatisfy { $0 == last.mark } ? [] : marks
        )
    }

    /// Returns the record, without lists and marks that take more bytes than a limit.
    ///
    /// The record keeps the list of the removed rows if it alone fits.
    func limited(toBytes limit: Int) -> TransactionRecord {
        let removedSize = IdentifierList.encode(removed).count
        let size = IdentifierList.encode(stored).count + removedSize + MarkList.encode(marks).count
        if size <= limit { return self }
        var copy = self
        copy.scope.insert(.storesUnlisted)
        copy.stored = []
        copy.marks = Array(marks.prefix(copy.markCount))
        guard removedSize + MarkList.encode(copy.marks).count > limit else { return copy }
        copy.scope.insert(.removesUnlisted)
        copy.removed = []
        copy.marks = Array(marks.prefix(copy.markCount))
        return copy
    }
}
#endif
