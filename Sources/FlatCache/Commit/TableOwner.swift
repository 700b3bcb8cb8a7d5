import Synchronization

/// The participant that alone stores and removes the entities of a type.
///
/// Others' writes to the type are programmer errors, and trap. Entities that an ingest or the
/// answer of a load contains are left out, since their sender doesn't know the app's types.
@usableFromInline
final class TableOwner: Sendable {
    let participant: ObjectIdentifier
    let remedy: String
    /// The reason why the cache mustn't evict the entities, or `nil` if it may.
    let reasonToKeep: String?
    private let leftOut = Atomic<Int>(0)

    init(_ participant: ObjectIdentifier, remedy: String, reasonToKeep: String?) {
        self.participant = participant
        self.remedy = remedy
        self.reasonToKeep = reasonToKeep
    }

    /// The number of entities that ingests and the answers of loads contained.
    var leftOutCount: Int { leftOut.load(ordering: .relaxed) }

    func leaveOut(_ count: Int) { leftOut.add(count, ordering: .relaxed) }
}

extension CacheCore {
    @usableFromInline @inline(never)
    func checkOwner<Value: Identifiable & Sendable>(of table: Table<Value>)
    where Value.ID: Sendable {
        if let owner = table.owner, owner.participant != writer.author { trapOwned(table) }
    }

    @usableFromInline @inline(never)
    func trapOwned<Value: Identifiable & Sendable>(_ table: Table<Value>) -> Never
    where Value.ID: Sendable {
        preconditionFailure(
            """
            Values of \(Value.self) can't be written here, since the type \
            \(table.owner?.remedy ?? "is written by a participant alone")
            """
        )
    }
}

extension Table {
    func checkOwner(in core: CacheCore) { core.checkOwner(of: self) }

    /// Traps if a policy evicts entities that the owner keeps.
    func checkOwner(for policy: EvictionPolicy<Value>) {
        guard let reason = owner?.reasonToKeep else { return }
        precondition(
            policy.keepsAll,
            "\(Value.self) can't have a limit or an expiration, since it \(reason)"
        )
    }

    func isWrittenByAnother(in core: CacheCore) -> Bool {
        owner.map { $0.participant != core.writer.author } ?? false
    }
}

extension CacheAccess {
    /// Makes the participant the only one that stores and removes the entities of a type.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - remedy: The end of the message with which others' writes trap, after "since it".
    ///   - reasonToKeep: The end of the message with which limits and expirations of the type trap,
    ///     after "since it", or `nil` if they're allowed.
    /// - Returns: A function that returns the number of entities that ingests and answers of loads
    ///   contained and that were left out, and the token that ends the ownership.
    package func takeOver<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        remedy: String,
        reasonToKeep: String? = nil
    ) -> (leftOutCount: @Sendable () -> Int, token: Disposable) where Value.ID: Sendable {
        let owner = TableOwner(participant, remedy: remedy, reasonToKeep: reasonToKeep)
        core.withWriterLock("takeOver(_:remedy:)") { _ in
            let table = core.tables.table(of: type)
            table.owner = owner
            core.loaders.withLock { $0.setOwner(owner, of: type) }
            if let limits = table.limits { table.checkOwner(for: limits.policy) }
        }
        let token = Disposable { [weak core] in
            guard let core else { return }
            core.loaders.withLock { $0.setOwner(nil, of: type) }
            // Disposing of a token doesn't wait for writers.
            core.deferWork { work in
                work.ended.append { [unowned core] _ in
                    let table = core.tables.table(of: type)
                    if table.owner === owner { table.owner = nil }
                }
            }
        }
        return ({ owner.leftOutCount }, token)
    }

    /// Returns the entities that concern the cache, because memory holds them, an observation
    /// reaches them, or their removal isn't written yet.
    package func concerned<Value: Identifiable & Sendable>(
        _ ids: [Value.ID],
        of type: Value.Type
    ) -> [Value.ID] where Value.ID: Sendable {
        core.withWriterLock("concerned(_:of:)") { writer in
            let table = core.tables.table(of: type)
            return ids.filter { table.concerns($0, writer) }
        }
    }

    /// The entities of a type that concern the cache, as ``concerned(_:of:)`` says.
    package func concernedIDs<Value: Identifiable & Sendable>(
        of type: Value.Type
    ) -> [Value.ID] where Value.ID: Sendable {
        core.withWriterLock("concernedIDs(of:)") { writer in
            let table = core.tables.table(of: type)
            let held = table.occupiedEntries.filter { table.hasValue($0) || table.isCovered($0) }
                .map { table[$0].pointee.id }
            let observed = writer.graph.allNodes.compactMap { node in
                writer.graph[node].key.id(as: type)
            }
            return Array(Set(held + observed).union(table.journal?.changes.removed ?? ChunkedSet()))
        }
    }

    /// Returns the stored value of an entity with its modification stamp.
    package func stored<Value: Identifiable & Sendable, Stamp: Comparable & Sendable>(
        _ type: Value.Type,
        id: Value.ID,
        stamp: Stamp.Type
    ) -> (value: Value, stamp: Stamp?)? where Value.ID: Sendable {
        core.withWriterLock("stored(_:id:stamp:)") { _ in
            let table = core.tables.table(of: type)
            return table.writtenConfirmedValue(id: id).map { value in
                (value, table.stamps?.formerStamp(of: id) as? Stamp)
            }
        }
    }
}

extension Table {
    /// Returns whether memory holds an entity, an observation reaches it, or its removal isn't
    /// written yet, under the writers' lock.
    func concerns(_ id: Value.ID, _ writer: Writer) -> Bool {
        if let entry = entryID(id: id, hash: hash(of: id)), hasValue(entry) || isCovered(entry) {
            return true
        }
        if journal?.changes.isRemoved(id) ?? false { return true }
        return !writer.graph.isEmpty && writer.graph.node(of: CacheKey(Value.self, id: id)) != nil
    }
}

extension CacheAccess {
    /// Makes later loads of some entities make requests of their own, since the answers of the
    /// present ones may be older than a change.
    package func separateLoads(where isChanged: (CacheKey) -> Bool) {
        core.sourceCalls.separate(includingWaiting: true, where: isChanged)
        core.loads.separate(includingWaiting: true, where: isChanged)
    }
}

extension ParticipantTransaction {
    /// Makes an entity stale, also for the loads that run.
    package func invalidate<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID
    ) where Value.ID: Sendable {
        core.invalidate(id, in: core.tables.table(of: type))
    }

    /// Makes all entities of a type stale, also for the loads that run.
    package func invalidateAll<Value: Identifiable & Sendable>(_ type: Value.Type)
    where Value.ID: Sendable {
        core.invalidateAll(in: core.tables.table(of: type))
    }
}
