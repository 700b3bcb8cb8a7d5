/// A commit in progress, as its participants see it.
///
/// It is valid until the participant returns.
@usableFromInline
package struct Commit {
    /// The stage of a commit in which a participant is called.
    enum Stage { case rewriting, deriving, recording }

    @usableFromInline let core: CacheCore
    private let stage: Stage
    /// The number of tables that were written before the stage.
    private let writtenBeforeCount: Int
    /// The version that the commit publishes.
    package let version: UInt64
    private(set) var notifications: [CommitNotification] = []

    init(_ core: CacheCore, _ stage: Stage, version: UInt64) {
        self.core = core
        self.stage = stage
        self.version = version
        writtenBeforeCount = core.writer.writtenTables.count
    }

    /// The name of the public method that began the write.
    package var origin: StaticString { core.writer.origin }

    // MARK: Reading

    var tables: [any AnyTable] { core.writer.writtenTables }

    /// Returns the changes to the entities of a type so far.
    ///
    /// - Complexity: O(*n*) in the number of the type's changes.
    package func changes<Value: Identifiable & Sendable>(
        of type: Value.Type
    ) -> [EntityChange<Value>] where Value.ID: Sendable {
        core.tables.existingTable(of: type)?.entityChanges(version: version) ?? []
    }

    /// Returns the value of an entity, with the writes of the commit so far.
    package func value<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID
    ) -> Value? where Value.ID: Sendable {
        core.tables.existingTable(of: type)?.writtenValue(id: id)
    }

    /// The explicit removals and invalidations of the commit, if a rewriter or a
    /// `WithdrawalRecorder` reads them.
    ///
    /// The commit may have stored the entities again.
    var withdrawals: [Withdrawal] { core.writer.withdrawals }

    // MARK: Writing

    /// Stores a value as it is, without a merge.
    @inlinable
    package func set<Value: Identifiable & Sendable>(_ value: Value) where Value.ID: Sendable {
        let table = core.tables.table(of: Value.self)
        prepareToWrite(to: table)
        _ = core.store(value, merging: false, in: table, core.writer)
    }

    /// Removes an entity, with the entities that it owns.
    package func remove<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID
    ) where Value.ID: Sendable {
        guard let table = core.tables.existingTable(of: type) else { return }
        prepareToWrite(to: table)
        table.uncover(id)
        guard let entry = table.entryID(id: id, hash: table.hash(of: id)),
            table.hasValue(entry)
        else { return }
        table.remove(entry, for: .explicit, in: core.writer)
        core.removeOrphans()
    }

    /// Traps if the stage must not write to a table.
    @usableFromInline
    func prepareToWrite<Value>(to table: Table<Value>) {
        precondition(stage != .recording, "A recorder can't write: use a rewriter or a deriver.")
        precondition(
            stage != .deriving || !isWrittenBefore(table),
            "A deriver can write only types that nothing else writes."
        )
        precondition(
            stage != .deriving || !table.hasLimits,
            "A type that a deriver writes can't have a limit: nothing is evicted after derivers."
        )
        if stage == .deriving { table.isDerived = true }
    }

    private func isWrittenBefore<Value>(_ table: Table<Value>) -> Bool {
        core.writer.writtenTables.prefix(writtenBeforeCount).contains { $0 === table }
    }

    // MARK: Notifying

    /// Adds a call to the commit's notifications, at the place of a registration.
    ///
    /// - Parameters:
    ///   - registration: The number of the registration that the call belongs to.
    ///   - call: The closure to call after the commit, outside all locks.
    package mutating func notify(
        _ registration: UInt64,
        _ call: @escaping @Sendable () -> Void
    ) {
        notifications.append(CommitNotification(number: registration, .action(call)))
    }
}

struct CommitNotification {
    /// The number of the registration, by which a commit's notifications are ordered.
    let number: UInt64
    let notification: Notification

    init(number: UInt64, _ notification: Notification) {
        self.number = number
        self.notification = notification
    }
}

extension [CommitNotification] {
    /// The notifications in the order of registration.
    var inOrder: [Notification] {
        if count == 1 { return [self[0].notification] }
        let isInOrder = zip(self, dropFirst()).allSatisfy { $0.number <= $1.number }
        let ordered = isInOrder ? self : sorted { $0.number < $1.number }
        return ordered.map(\.notification)
    }
}
