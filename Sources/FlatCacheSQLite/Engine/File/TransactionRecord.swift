#if canImport(SQLite3) || canImport(CSQLite)
/// A transaction that a graph is writing.
struct NewTransaction {
    let number: Int64
    let token: Int64
    /// The number of bytes above which a record doesn't list its rows.
    let listLimit: Int
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
        /// The stored rows come from the quarantine, and replace no values in memory.
        static let restores = Scope(rawValue: 8)
    }

    /// The position of the latest transaction that the record contains in the order of the file's
    /// transactions, from 1.
    let number: Int64
    /// The random number that distinguishes this transaction from one of other content with the
    /// same position.
    let token: Int64
    /// The name of the type in the file.
    let type: String
    /// The time at which the transaction was written.
    let written: WallTime
    var scope: Scope = []
    var stored: [RowIdentifier] = []
    /// The identifiers of the rows that were removed explicitly.
    var removed: [RowIdentifier] = []
    /// The prefixes of the lists that were removed before the listed rows were removed or stored.
    ///
    /// A graph that imports the record removes all its lists with these prefixes, since the file
    /// may have no rows of some of them.
    var removedPrefixes: [String] = []
}

extension TransactionRecord {
    /// The lists of a record.
    struct Lists: Codable {
        var stored = IdentifierList([])
        var removed = IdentifierList([])
        var prefixes: [String] = []

        /// The encoded lists, or no bytes if they can't be encoded: the log is then incomplete.
        var encoded: [UInt8] {
            var bytes: [UInt8] = []
            try? CompactRowCoder().encode(self, into: &bytes)
            return bytes
        }
    }

    var lists: Lists {
        Lists(
            stored: IdentifierList(stored),
            removed: IdentifierList(removed),
            prefixes: removedPrefixes
        )
    }

    /// Reads the encoded lists; returns `false` if they're damaged.
    mutating func read(_ lists: UnsafeRawBufferPointer) -> Bool {
        guard let lists = try? CompactRowCoder().decode(Lists.self, from: lists) else {
            return false
        }
        stored = lists.stored.identifiers
        removed = lists.removed.identifiers
        removedPrefixes = lists.prefixes
        return true
    }

    /// Returns the record, without lists that take more bytes than a limit.
    ///
    /// The record keeps the list of the removed rows if it alone fits.
    func limited(toBytes limit: Int) -> TransactionRecord {
        let removedSize = removed.reduce(0) { $0 + $1.size }
        if stored.reduce(removedSize, { $0 + $1.size }) <= limit { return self }
        var copy = self
        copy.scope.insert(.storesUnlisted)
        copy.stored = []
        if removedSize > limit {
            copy.scope.insert(.removesUnlisted)
            copy.removed = []
        }
        return copy
    }
}

/// The changes of other graphs to the rows of a type.
struct ChangesOfOthers {
    /// The scopes of all records, without `restores`.
    private(set) var scope: TransactionRecord.Scope = []
    /// The prefixes of removed lists.
    private(set) var removedPrefixes: Set<String> = []
    private(set) var stored: Set<RowIdentifier> = []
    private(set) var removed: Set<RowIdentifier> = []
    /// The stored rows that come from the quarantine.
    private(set) var restored: Set<RowIdentifier> = []
    /// `true` if any missing row may have come from the quarantine.
    private(set) var restoresUnlisted = false

    /// Combines the records of a type.
    ///
    /// - Parameters:
    ///   - records: The records of all types in their order.
    ///   - isComplete: `false` if there may have been further transactions before these.
    ///   - type: The name of the type in the file.
    init(_ records: [TransactionRecord], isComplete: Bool = true, of type: String) {
        if !isComplete { scope = [.storesUnlisted, .removesUnlisted] }
        for record in records where record.type == type { append(record) }
    }

    private mutating func append(_ record: TransactionRecord) {
        if record.scope.contains(.restores) {
            restored.formUnion(record.stored)
            removed.subtract(record.stored)
            restoresUnlisted = restoresUnlisted || record.scope.contains(.storesUnlisted)
            return
        }
        if record.scope.contains(.removesAll) {
            removedPrefixes = []
            forget { _ in true }
        }
        scope.formUnion(record.scope)
        for prefix in record.removedPrefixes {
            removedPrefixes.insert(prefix)
            forget { $0.hasPrefix(prefix) }
        }
        removed.formUnion(record.removed)
        stored.subtract(record.removed)
        restored.subtract(record.removed)
        stored.formUnion(record.stored)
        restored.subtract(record.stored)
        removed.subtract(record.stored)
    }

    private mutating func forget(_ isRemoved: (RowIdentifier) -> Bool) {
        stored = stored.filter { !isRemoved($0) }
        restored = restored.filter { !isRemoved($0) }
        removed = removed.filter { !isRemoved($0) }
    }

    var removesAll: Bool { scope.contains(.removesAll) }
    var storesUnlisted: Bool { scope.contains(.storesUnlisted) }
    var removesUnlisted: Bool { scope.contains(.removesUnlisted) }

    var isEmpty: Bool {
        scope.isEmpty && removedPrefixes.isEmpty && stored.isEmpty && removed.isEmpty
            && restored.isEmpty && !restoresUnlisted
    }

    /// Returns whether the lists with a prefix of an identifier were removed.
    func removesList(_ identifier: RowIdentifier) -> Bool {
        removedPrefixes.contains { identifier.hasPrefix($0) }
    }
}
#endif
