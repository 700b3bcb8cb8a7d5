#if canImport(SQLite3) || canImport(CSQLite)
/// The changes of other graphs to the rows of a type.
struct ChangesOfOthers {
    /// The number of the graph that imports the changes.
    private let writer: Int64
    /// The mark of the latest removal of all rows.
    private(set) var removesAll: TransactionMark?
    /// The marks of the latest removals of the lists whose names have a prefix.
    private(set) var removedPrefixes: [String: TransactionMark] = [:]
    /// `true` if any row may have been stored.
    private(set) var storesUnlisted = false
    /// `true` if any row may have been removed.
    private(set) var removesUnlisted = false
    private(set) var stored: [RowIdentifier: TransactionMark] = [:]
    private(set) var removed: [RowIdentifier: TransactionMark] = [:]
    /// The marks of the transactions that don't list their stored rows, by the times at which the
    /// transactions were written.
    ///
    /// A stored row contains this time as its last use. In a type with a limit, a load replaces it.
    private var unlistedMarks: [Int64: TransactionMark] = [:]
    /// The mark with the greatest `unchangedNumber` among the transactions that stored unchanged
    /// entities without listing them.
    private var unlistedUnchanged: TransactionMark?
    /// `true` if a missing row is no removal.
    private let keepsMissing: Bool
    /// `true` if a row that isn't listed may have been changed.
    private var mayHaveUnlistedChanges: Bool
    /// The time from which rows count as changed if no record lists them, or `nil` if the log has
    /// all records.
    private let changeTime: WallTime?
    /// The mark of the latest transaction that doesn't list its removed rows.
    private(set) var unlistedRemoval: TransactionMark?

    /// Combines the records of a type.
    ///
    /// - Parameters:
    ///   - records: The records of all types in their order.
    ///   - isComplete: `false` if there may have been further transactions before these.
    ///   - keepsMissing: `true` if a missing row is no removal, since the file may lack rows that
    ///     aren't written yet.
    ///   - changeTime: The time from which rows count as changed if no record lists them, or `nil`
    ///     if the records are all that were written since.
    ///   - type: The name of the type in the file.
    ///   - writer: The number of the graph that imports the changes.
    init(
        _ records: [TransactionRecord],
        isComplete: Bool = true,
        keepsMissing: Bool = false,
        changedSince changeTime: WallTime? = nil,
        of type: String,
        for writer: Int64
    ) {
        self.writer = writer
        self.keepsMissing = keepsMissing
        self.changeTime = changeTime
        storesUnlisted = !isComplete || changeTime != nil
        mayHaveUnlistedChanges = !isComplete
        removesUnlisted = !isComplete && !keepsMissing
        for record in records where record.type == type { append(record) }
    }

    private mutating func append(_ record: TransactionRecord) {
        var marks = record.marks[...]
        let nextMark = { marks.popFirst() ?? record.mark }
        if record.scope.contains(.removesAll) {
            removesAll = nextMark()
            removedPrefixes = [:]
            stored = [:]
            removed = [:]
        }
        for prefix in record.removedPrefixes {
            removedPrefixes[prefix] = nextMark()
            stored = stored.filter { !$0.key.hasPrefix(prefix) }
            removed = removed.filter { !$0.key.hasPrefix(prefix) }
        }
        if record.scope.contains(.storesUnlisted) {
            storesUnlisted = true
            unlistedMarks[record.written.milliseconds] = record.mark
            if let number = record.mark.time.unchangedNumber {
                let latest = unlistedUnchanged?.time.unchangedNumber ?? -1
                if number > latest { unlistedUnchanged = record.mark }
            } else {
                mayHaveUnlistedChanges = true
            }
        }
        if record.scope.contains(.removesUnlisted), !keepsMissing {
            removesUnlisted = true
            unlistedRemoval = record.mark
        }
        for identifier in record.removed {
            removed[identifier] = nextMark()
            stored[identifier] = nil
        }
        for identifier in record.stored {
            stored[identifier] = nextMark()
            removed[identifier] = nil
        }
    }

    /// `true` if all rows, or all lists with a prefix, were removed.
    var removesMany: Bool { removesAll != nil || !removedPrefixes.isEmpty }

    var isEmpty: Bool {
        !removesMany && !storesUnlisted && !removesUnlisted && stored.isEmpty && removed.isEmpty
    }

    /// Returns the mark of the latest transaction that changed a row, or `nil` if none is known.
    func mark(of identifier: RowIdentifier?) -> TransactionMark? {
        guard let identifier else { return nil }
        return stored[identifier] ?? removed[identifier] ?? markOfRemoval(of: identifier)
    }

    /// Returns the mark of the latest removal of all rows, or of the lists with a prefix, that
    /// concerns a row, or `nil` if there is none.
    func markOfRemoval(of identifier: RowIdentifier) -> TransactionMark? {
        let marks = removedPrefixes.lazy.filter { identifier.hasPrefix($0.key) }.map(\.value)
        // A removal of all rows is earlier than those of lists with a prefix.
        return marks.max { $0.number < $1.number } ?? removesAll
    }

    /// Returns the mark of the transaction that stored a row without listing it, or `nil` if none
    /// is known.
    ///
    /// - Parameters:
    ///   - milliseconds: The time at which the row was written, or `nil` if it isn't known.
    ///   - used: The time at which the row was loaded or written last.
    func unlistedMark(writtenAt milliseconds: Int64?, used: Int64 = .max) -> TransactionMark? {
        if let milliseconds, let mark = unlistedMarks[milliseconds] { return mark }
        guard let changeTime else { return nil }
        // A row was written before it was loaded.
        let isUnchanged = used < changeTime.milliseconds
        let changed = milliseconds.map(WallTime.init(milliseconds:))
        let time = isUnchanged ? .unchanged(since: 0) : changed
        return time.map { TransactionMark(number: 0, time: $0, writer: writer) }
    }

    /// The mark of a row whose transaction and age aren't known, or `nil` if the row may have been
    /// changed.
    var markOfUnchangedRows: TransactionMark? { mayHaveUnlistedChanges ? nil : unlistedUnchanged }

    /// Returns whether a transaction wins over a change of the same time.
    func winsTies(_ mark: TransactionMark) -> Bool { mark.writer > writer }
}
#endif
