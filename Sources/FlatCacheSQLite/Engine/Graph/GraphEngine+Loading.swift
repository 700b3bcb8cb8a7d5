#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

extension GraphEngine {
    /// Loads the types that are declared with `load: .atStart`, lists and aliases, as one commit.
    ///
    /// If the method throws, memory lacks states of the file, and nothing may replace them there.
    func loadAtStart() async throws(SQLiteGraphError) {
        try await restoring { () throws(SQLiteGraphError) in try readAtStart() }
    }

    /// Reads rows with a closure, and stores the values that memory lacks in one commit.
    private func restoring(
        _ read: () throws(SQLiteGraphError) -> [ReadRows]
    ) async throws(SQLiteGraphError) {
        guard let attachment else { return }
        try await attachment.access.withRead(of: attachment.changes) {
            () async throws(SQLiteGraphError) in
            store(try reading(read), .restoring, attachment)
        }
    }

    /// Reads the rows to load at the start, and those of the entities to which lists and aliases
    /// refer.
    func readAtStart() throws(SQLiteGraphError) -> [ReadRows] {
        var rows: [ReadRows] = []
        for table in tables where table.loading == .atStart {
            rows.append(try table.readAll())
        }
        let related = Dictionary(grouping: Set(rows.flatMap(\.related)), by: \.typeIdentifier)
        for table in tables where table.loading != .atStart {
            guard let keys = related[ObjectIdentifier(table.type)] else { continue }
            if let read = try table.read(keys) { rows.append(read) }
        }
        return rows
    }

    /// Returns the values of entities in memory, or else in the file.
    ///
    /// One commit stores the values from the file.
    func load<Value: Identifiable & Codable & Sendable>(
        _ type: Value.Type,
        ids: Set<Value.ID>
    ) async throws(SQLiteGraphError) -> [Value.ID: Value] where Value.ID: Codable & Sendable {
        var values: [Value.ID: Value] = [:]
        if let cache = attachment?.cache {
            for id in ids { values[id] = cache.get(type, id: id) }
        }
        let missing = ids.filter { values[$0] == nil }
        if missing.isEmpty { return values }
        let index = index(of: type)
        guard let table = tables[index] as? DurableTable<Value> else {
            preconditionFailure("A table of \(type) reads values of the type.")
        }
        try checkNotSuspended()
        guard let attachment else {
            try prepareTablesIfNeeded()
            for row in try read(missing, from: table) { values[row.value.id] = row.value }
            return values
        }
        try await attachment.access.withRead(of: [attachment.journals[index].journal]) {
            () async throws(SQLiteGraphError) in
            // A closure that names `self` is isolated to the actor.
            let rows = try self.read(missing, from: table)
            if rows.isEmpty { return }
            let areStored = attachment.access.write(.restoring) { table.restore(rows, $0) }
            for (row, isStored) in zip(rows, areStored) where isStored {
                values[row.value.id] = row.value
            }
            guard let cache = attachment.cache else { return }
            for id in rows.map(\.value.id) { values[id] = cache.get(type, id: id) ?? values[id] }
        }
        return values
    }

    /// Stores the values of all rows of a type that memory lacks, as one commit.
    func loadAll<Value: Identifiable & Sendable>(
        _ type: Value.Type
    ) async throws(SQLiteGraphError) where Value.ID: Sendable {
        let table = tables[index(of: type)]
        if attachment == nil { return }
        if let refusal = table.refusal { throw refusal }
        try await restoring { () throws(SQLiteGraphError) in [try table.readAll()] }
        if let refusal = table.refusal { throw refusal }
    }

    private func index(of type: Any.Type) -> Int {
        guard let index = tables.firstIndex(where: { $0.type == type }) else {
            preconditionFailure("\(type) isn't declared in the graph of \(path): add it.")
        }
        return index
    }

    /// Stores the rows of entities that memory lacks, as one commit.
    func restore(_ keys: [CacheKey]) async {
        if attachment == nil { return }
        for table in tables { table.recordUnread(keys) }
        if isSuspended { return }
        do throws(SQLiteGraphError) {
            try await restoring { () throws(SQLiteGraphError) in
                var rows: [ReadRows] = []
                for table in tables {
                    if let read = try table.read(keys) { rows.append(read) }
                }
                return rows
            }
        } catch {
            onError(error)
        }
    }

    private func read<Value: Identifiable & Codable & Sendable>(
        _ ids: Set<Value.ID>,
        from table: DurableTable<Value>
    ) throws(SQLiteGraphError) -> [StoredRow<Value>] where Value.ID: Codable & Sendable {
        let rows = try reading { () throws(SQLiteGraphError) in try table.read(ids) }
        if let refusal = table.refusal { throw refusal }
        return rows
    }

    /// Stores the response of a request that memory lacks.
    func restoreResponse<Response: Sendable>(of request: String, as type: Response.Type) async {
        let table = tables.lazy.compactMap { $0 as? DurableTable<RequestState> }.first
        guard let table, !isSuspended else { return }
        do throws(SQLiteGraphError) {
            try await restoring { () throws(SQLiteGraphError) in
                [try table.readResponse(of: request, as: type)]
            }
        } catch {
            onError(error)
        }
    }
}
#endif
