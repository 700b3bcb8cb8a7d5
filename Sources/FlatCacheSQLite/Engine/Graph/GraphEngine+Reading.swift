#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache
import FlatCachePersistence
import Foundation

// These methods import the transactions of other graphs, in this process or another one.
extension GraphEngine {
    func watchFile() {
        let log = URL(fileURLWithPath: database.logPath)
        monitor = FileWriteMonitor(url: log) { [weak self] _ in
            guard let self else { return }
            perturbThread()
            Task { await self.importInBackground() }
        }
    }

    /// Announces a transaction of this graph to the monitors of others.
    ///
    /// SQLite publishes a transaction in mapped memory, after the write that monitors see, and
    /// monitors wait a little for further writes. Setting the times of SQLite's log is an event
    /// after the transaction, and monitors report it at once.
    func announceTransaction() {
        utimes(database.logPath, nil)
    }

    /// Imports the transactions of others, or continues with the file at the path of a lost file.
    func importInBackground() async {
        guard attachment != nil, !isSuspended else { return }
        if database.isLost {
            // A flush opens the file that is at the path now. Without one, the next flush creates
            // it, unless another process does so first. A failed attempt changes the files, too.
            if FileManager.default.fileExists(atPath: path) { await flushInBackground() }
            return
        }
        do throws(SQLiteGraphError) {
            try importLatest()
        } catch {
            onError(error)
        }
    }

    /// Imports the transactions that others have written up to now.
    func importLatest() throws(SQLiteGraphError) {
        try reading { () throws(SQLiteGraphError) in }
    }

    /// Runs a closure that reads the file, in one transaction for reading, after the transactions
    /// of others were imported.
    ///
    /// Memory shows the state of the file that the closure reads, except for its own unwritten
    /// changes.
    func reading<Result>(
        _ body: () throws(SQLiteGraphError) -> Result
    ) throws(SQLiteGraphError) -> Result {
        defer { endReading() }
        return try recovering { () throws(SQLiteGraphError) in
            try database.read { () throws(SQLiteGraphError) in
                try importTransactions()
                return try body()
            }
        }
    }

    /// Moves the undecodable rows of reads to the quarantine, and reports them.
    func endReading() {
        for table in tables { table.endReading() }
        reportErrors()
    }

    /// Imports the transactions of others that the file now shows, as one commit.
    ///
    /// The caller has begun a transaction.
    func importTransactions() throws(SQLiteGraphError) {
        guard let attachment, !attachment.access.isClosed else { return }
        let latest = try checkContent()
        if let importedNumber, importedNumber < latest {
            let (records, isComplete) = try database.log.recordsLeft(after: importedNumber)
            try importChanges(of: records, isComplete: isComplete, attachment)
            if records.contains(where: { $0.scope.contains(.restores) }) {
                try storeMissing(attachment)
            }
        }
        if latest == importedNumber || attachment.access.isClosed { return }
        // A failed read must not leave the number of one transaction with the token of another.
        let token = try database.log.token(of: latest)
        (importedNumber, importedToken) = (latest, token)
    }

    /// Returns the number of the latest transaction, or throws the error of a lost file if the
    /// content lacks transactions that memory has shown, since it was replaced.
    @discardableResult
    func checkContent() throws(SQLiteGraphError) -> Int64 {
        let log = database.log
        guard let importedNumber else { return try log.latest() }
        // First, since the log of other content may have other columns.
        guard try FileIdentity.number(in: database) == fileIdentity.number else {
            throw lostFileError()
        }
        let latest = try log.latest()
        guard latest >= importedNumber,
            try log.token(of: importedNumber) ?? importedToken == importedToken
        else { throw lostFileError() }
        return latest
    }

    /// Reads the rows that records concern, and stores them in one commit.
    private func importChanges(
        of records: [TransactionRecord],
        isComplete: Bool,
        _ attachment: Attachment
    ) throws(SQLiteGraphError) {
        var rows: [ReadRows] = []
        for (table, journal) in zip(tables, attachment.journals) where table.isCurrent {
            let changes = ChangesOfOthers(records, isComplete: isComplete, of: table.name)
            if let read = try table.readChangedRows(changes, journal) { rows.append(read) }
        }
        // Without these rows, an observed list would lack elements until they're loaded.
        rows += try readReached(rows.flatMap(\.reached), attachment)
        store(rows, .writing, attachment)
    }

    /// Stores the rows of the file that memory lacks: the rows to load at the start, and the rows
    /// of observed entities.
    func storeMissing(_ attachment: Attachment) throws(SQLiteGraphError) {
        let rows = try readAtStart() + readReached(attachment.access.missingObserved, attachment)
        store(rows, .restoring, attachment)
    }

    /// Reads the rows of entities that memory lacks and that observations will reach, and those of
    /// the entities that they will reach through these rows.
    func readReached(
        _ entities: [ReachedEntity],
        _ attachment: Attachment
    ) throws(SQLiteGraphError) -> [ReadRows] {
        var read: [ReadRows] = []
        var known: Set<CacheKey> = []
        var next = entities
        while !next.isEmpty {
            let missing = attachment.access.missing(next).filter { known.insert($0.key).inserted }
            let entities = Dictionary(grouping: missing, by: \.key.typeIdentifier)
            next = []
            for (table, journal) in zip(tables, attachment.journals) where table.isCurrent {
                guard let entities = entities[ObjectIdentifier(table.type)],
                    let rows = try table.readReached(entities, journal)
                else { continue }
                read.append(rows)
                next += rows.reached
            }
        }
        return read
    }

    /// Stores rows in one commit.
    func store(_ rows: [ReadRows], _ mode: CacheAccess.WriteMode, _ attachment: Attachment) {
        guard rows.contains(where: { $0.count > 0 }) else { return }
        attachment.access.write(mode) { transaction in
            for rows in rows { rows.restore(transaction) }
        }
    }

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
        try await attachment.access.withRead(of: attachment.journals) {
            () async throws(SQLiteGraphError) in
            store(try reading(read), .restoring, attachment)
        }
    }

    /// Reads the rows to load at the start, and those of the entities to which lists and aliases
    /// refer.
    func readAtStart() throws(SQLiteGraphError) -> [ReadRows] {
        let loaded = tables.filter { $0.loading == .atStart }
        var rows: [ReadRows] = []
        for table in loaded { rows.append(try table.readAll()) }
        let types = Set(loaded.map { ObjectIdentifier($0.type) })
        let related = Set(rows.flatMap(\.related)).filter { !types.contains($0.typeIdentifier) }
        return rows + (try read(related))
    }

    /// Reads the rows of entities of any declared type.
    private func read(_ keys: some Sequence<CacheKey>) throws(SQLiteGraphError) -> [ReadRows] {
        let keys = Dictionary(grouping: keys, by: \.typeIdentifier)
        var rows: [ReadRows] = []
        for table in tables {
            guard let keys = keys[ObjectIdentifier(table.type)] else { continue }
            rows.append(try table.read(keys))
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
        try await attachment.access.withRead(of: [attachment.journals[index]]) {
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
            try await restoring { () throws(SQLiteGraphError) in try read(keys) }
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

    /// Stores the response of a request that memory lacks, with its entities, as one commit.
    func restoreResponse<Response: Sendable>(of request: String, as type: Response.Type) async {
        let table = tables.lazy.compactMap { $0 as? DurableTable<RequestState> }.first
        guard let table, !isSuspended else { return }
        do throws(SQLiteGraphError) {
            try await restoring { () throws(SQLiteGraphError) in
                try table.readResponse(of: request, as: type)
            }
        } catch {
            onError(error)
        }
    }
}
#endif
