#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache
import FlatCacheRows

// A response is stored with the identifiers of its entities, by the names of their tables. If the
// file loses the row of an entity in another way than by the removal of the entity, it also loses
// the responses with the entity. An entity without a row was therefore removed, or has never had a
// value.

extension DurableTable where Value == RequestState {
    /// Reads and decodes the response of a request with the rows of its entities.
    ///
    /// A row that can't be decoded as the type moves to the quarantine.
    ///
    /// - Returns: The rows of the entities, then the row of the response. There are none if the
    ///   response has been stale for too long, if its type doesn't conform to `Codable`, or if the
    ///   graph can't read one of the entities.
    func readResponse<Response: Sendable>(
        of request: String,
        as type: Response.Type
    ) throws(SQLiteGraphError) -> [ReadRows] {
        guard let decodable = type as? any (Decodable & Encodable).Type, try isReadable(),
            isKept(request), let identifier = identifier(of: request)
        else { return [] }
        let now = now
        let stored = try read(identifier, countsAsUse: true) { select in
            guard let response = try coder.decode(decodable, from: select.bytes(1)) as? Response
            else { throw RowError.otherType }
            let age = select.isNull(2) ? nil : now.age(of: select.number(2))
            let (entities, lifetime) = (listedEntities(select, column: 4), lifetime(select, now))
            return (response: response, entities: entities, age: age, lifetime: lifetime)
        }
        guard let stored, let listed = stored.entities,
            stored.lifetime ?? .zero > .zero - RequestState.keptWhileStale
        else { return [] }
        var rows: [ReadRows] = []
        var keys: [CacheKey] = []
        for (name, list) in listed {
            guard let table = entities.first(where: { $0.name == name }),
                let read = try table.readEntities(list.identifiers)
            else { return [] }
            rows.append(read.rows)
            keys += read.keys
        }
        let response = ReadRows(
            count: 1,
            restore: { [keys] in
                $0.insert(
                    stored.response,
                    ofRequest: request,
                    relatedKeys: keys,
                    age: stored.age,
                    lifetime: stored.lifetime
                )
            }
        )
        return rows + [response]
    }

    /// Returns the time until the response of a row is stale.
    ///
    /// If the clock was set back, it's at most the lifetime that the response had when it was
    /// stored.
    private func lifetime(_ select: Statement, _ now: WallTime) -> Duration? {
        if select.isNull(3) { return nil }
        let stale = select.number(3)
        let lifetime = now.duration(until: stale)
        if select.isNull(2) { return lifetime }
        return min(lifetime, WallTime(milliseconds: select.number(2)).duration(until: stale))
    }
}

extension DurableTable {
    func readEntities(
        _ identifiers: [RowIdentifier]
    ) throws(SQLiteGraphError) -> (keys: [CacheKey], rows: ReadRows)? {
        let ids = identifiers.compactMap { try? form.decode($0) }
        guard ids.count == identifiers.count, try isReadable() else { return nil }
        let rows = try read(ids)
        if undecodable.contains(where: { identifiers.contains($0.identifier) }) { return nil }
        let keys = ids.map { CacheKey(Value.self, id: $0) }
        return (keys, ReadRows(count: rows.count) { [self] in restoreWhole(rows, $0) })
    }

    /// Stores the values of rows in a cache, and fills in the parts that the values in memory lack.
    ///
    /// An observer of the response sees each entity as it's in the file, even if a part of it has
    /// been stored before.
    private func restoreWhole(_ rows: [StoredRow<Value>], _ transaction: ParticipantTransaction) {
        transaction.prepareToInsert(rows.count, of: Value.self)
        let areStored = restore(rows, transaction)
        guard mergesRows else { return }
        for (row, isStored) in zip(rows, areStored) where !isStored {
            transaction.mergeBeneath(row.value, freshness(of: row), stamp: row.stamp)
        }
    }

    var contains: @Sendable (CacheKey, CacheSnapshot) -> Bool {
        { key, snapshot in
            key.id(as: Value.self).map { snapshot.confirmed.contains(Value.self, id: $0) } ?? false
        }
    }

    func identifiers(
        of keys: [CacheKey],
        _ stored: Set<CacheKey>
    ) throws(SQLiteGraphError) -> [RowIdentifier]? {
        var identifiers: [RowIdentifier] = []
        for key in keys {
            guard let id = key.id(as: Value.self), let identifier = try? form.encode(id) else {
                return nil
            }
            if stored.contains(key), try database.number(sql.exists, identifier) == nil {
                return nil
            }
            identifiers.append(identifier)
        }
        return identifiers
    }

    /// Returns the encoded identifiers of the entities of each response to write.
    ///
    /// A response is left out if the graph doesn't keep the type of one of its entities, or if
    /// memory has an entity whose row is missing, because a limit has deleted the row or the value
    /// can't be encoded.
    func entitiesOfResponses(
        _ changes: EntityChanges<Value>
    ) throws(SQLiteGraphError) -> [RowIdentifier: [UInt8]] {
        guard let responses = changes as? EntityChanges<RequestState> else { return [:] }
        var encoded: [RowIdentifier: [UInt8]] = [:]
        for response in responses.entities.lazy.map(\.value) {
            guard let listed = try listedEntities(of: response, changes.related) else { continue }
            encoded[.text(response.id)] = try? CompactRowCoder().encode(listed)
        }
        return encoded
    }

    private func listedEntities(
        of response: RequestState,
        _ stored: Set<CacheKey>
    ) throws(SQLiteGraphError) -> [String: IdentifierList]? {
        var listed: [String: IdentifierList] = [:]
        for (type, keys) in Dictionary(grouping: response.relatedKeys, by: \.typeIdentifier) {
            guard let table = entities.first(where: { ObjectIdentifier($0.type) == type }),
                let identifiers = try table.identifiers(of: keys, stored)
            else { return nil }
            listed[table.name] = IdentifierList(identifiers)
        }
        return listed
    }

    /// Returns the entities that the present row of a statement lists, or `nil` if it lists none
    /// because a former version of this library has written it.
    private func listedEntities(_ select: Statement, column: Int32) -> [String: IdentifierList]? {
        if select.isNull(column) { return nil }
        return try? CompactRowCoder().decode(
            [String: IdentifierList].self,
            from: select.bytes(column)
        )
    }

    /// Deletes the responses that contain entities whose rows are lost, as part of a transaction.
    ///
    /// - Complexity: O(*n*) in the number of the entities of all responses.
    func deleteResponses(containing identifiers: [RowIdentifier]) throws(SQLiteGraphError) {
        let responses = TableStatements.responses
        guard !identifiers.isEmpty, name != responses, try hasStates(responses) else { return }
        let lost = Set(identifiers)
        let names = try database.rows("SELECT id, stamp FROM \(responses)") { row in
            let listed = listedEntities(row, column: 1)?[name]?.identifiers ?? []
            return lost.isDisjoint(with: listed) ? nil : row.identifier(0)
        }
        let delete = try database.statement("DELETE FROM \(responses) WHERE id = ?")
        for name in names { try delete.run(name) }
    }
}
#endif
