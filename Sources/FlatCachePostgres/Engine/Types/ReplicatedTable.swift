#if canImport(CPostgres)
import FlatCache
import FlatCacheRows
import Foundation

/// The table of a replicated type: the conversion of its rows, and its part of a commit.
final class ReplicatedTable<Value: Identifiable & Codable & Sendable>: AnyReplicatedTable
where Value.ID: Codable & Sendable {
    private let declared: Replicated<Value>
    private let identifier = IdentifierForm<Value.ID>()
    private let decoder = JSONDecoder()
    private let encoder: JSONEncoder
    /// The number of entities that the loader has returned.
    private let answeredCount = Locked(0)
    /// The errors of the rows that memory lacks because they can't be decoded.
    private let failures = Locked<[Value.ID: PostgresGraphError]>([:])

    init(_ declared: Replicated<Value>) {
        declared.upgrades.check()
        self.declared = declared
        encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
    }

    var name: String { declared.name }
    var form: Int { declared.upgrades.version }
    var loading: ReplicatedLoading { declared.loading }
    var type: Any.Type { Value.self }
    var typeIdentifier: ObjectIdentifier { ObjectIdentifier(Value.self) }
    var column: IdentifierColumn { identifier.column }

    func addLoader(
        to cache: Cache,
        reading read: @escaping @Sendable ([CacheKey]) async throws -> [CacheKey: ReadRow]
    ) {
        // The cache stores the answers of no loader of the type, since an import has done so.
        cache.setLoader(for: Value.self, gathering: .zero) { [self] ids in
            let keys = ids.map { CacheKey(Value.self, id: $0) }
            let rows = try await read(keys)
            for key in keys { if let failure = failure(of: key) { throw failure } }
            let values = keys.compactMap { rows[$0]?.value as? Value }
            answeredCount.withLock { $0 += values.count }
            return values
        }
    }

    func takeOver(
        _ access: CacheAccess
    ) -> (leftOutCount: @Sendable () -> Int, token: Disposable) {
        let (leftOutCount, token) = access.takeOver(
            Value.self,
            remedy: "is replicated: use PostgresGraph.write(attempts:_:), on any node.",
            reasonToKeep: loading == .atStart
                ? "is loaded at the start, so that memory has all rows: load it on demand." : nil
        )
        // An answer isn't left out if its load has ended before.
        return (
            { [answeredCount] in max(0, leftOutCount() - answeredCount.withLock(\.self)) }, token
        )
    }

    func removeAll(in transaction: ParticipantTransaction) {
        for id in transaction.ids(of: Value.self) { transaction.remove(Value.self, id: id) }
    }

    // MARK: Keys

    func text(of key: CacheKey) throws(PostgresGraphError) -> String {
        do {
            guard let id = key.id(as: Value.self) else { throw RowError.otherType }
            return try identifier.encode(id)
        } catch {
            throw encodingError(of: key, error)
        }
    }

    func key(of text: String) -> CacheKey? {
        (try? identifier.decode(text)).map { CacheKey(Value.self, id: $0) }
    }

    func concerned(_ ids: [String]?, _ access: CacheAccess) -> [String] {
        if let ids, loading == .atStart { return ids }
        let decoded = ids?.compactMap { try? identifier.decode($0) }
        let concerned =
            decoded.map { access.concerned($0, of: Value.self) }
            ?? access.concernedIDs(of: Value.self)
        return concerned.compactMap { try? identifier.encode($0) }
    }

    func failure(of key: CacheKey) -> PostgresGraphError? {
        key.id(as: Value.self).flatMap { id in failures.withLock { $0[id] } }
    }

    // MARK: Rows

    func encode(_ value: Value) throws(PostgresGraphError) -> String {
        do {
            let json = try encoder.encode(value)
            if json.count > RowError.maximumSize {
                throw RowError.tooLarge(json.count, limit: RowError.maximumSize)
            }
            if Self.containsNullCharacter(json) { throw RowError.nullCharacter }
            return String(decoding: json, as: UTF8.self)
        } catch {
            throw encodingError(of: CacheKey(value), error)
        }
    }

    /// Returns whether a JSON text contains an escaped U+0000, and not only an escaped backslash
    /// before `u0000`.
    private static func containsNullCharacter(_ json: Data) -> Bool {
        var rest = json[...]
        while let found = rest.range(of: Data(#"\u0000"#.utf8)) {
            let backslashes = json[..<found.lowerBound].reversed().prefix { $0 == 0x5C }.count
            if backslashes.isMultiple(of: 2) { return true }
            rest = json[found.upperBound...]
        }
        return false
    }

    private func encodingError(of key: CacheKey, _ error: any Error) -> PostgresGraphError {
        PostgresGraphError(
            .encoding,
            keys: [key],
            PostgresGraphError.text(of: error),
            underlyingError: error
        )
    }

    func decode(_ rows: some Sequence<StoredRow>, requested: [String]) -> TypeRows {
        var stored: [VersionedValue<Value>] = []
        var removed: [Value.ID] = []
        var errors: [Value.ID: PostgresGraphError] = [:]
        var missing = Set(requested)
        for row in rows {
            missing.remove(row.id)
            guard let id = try? identifier.decode(row.id) else { continue }
            do {
                let value = try self.value(of: row)
                guard value.id == id else { throw RowError.otherEntity }
                stored.append(VersionedValue(value: value, version: row.version))
            } catch {
                removed.append(id)
                errors[id] = PostgresGraphError(
                    row.form > form ? .laterForm : .undecodable,
                    keys: [CacheKey(Value.self, id: id)],
                    "The row in \(name) can't be decoded: \(PostgresGraphError.text(of: error))",
                    underlyingError: error
                )
            }
        }
        removed += missing.compactMap { try? identifier.decode($0) }
        let recordFailures = { @Sendable [failures, stored, removed, errors] in
            failures.withLock { failures in
                if failures.isEmpty, errors.isEmpty { return }
                for row in stored { failures[row.value.id] = nil }
                for id in removed { failures[id] = errors[id] }
            }
        }
        return TypeRows(count: stored.count + removed.count, errors: Array(errors.values)) {
            [stored, removed] transaction in
            for row in stored { transaction.set(row.value, stamp: row.version) }
            for id in removed { transaction.remove(Value.self, id: id) }
            recordFailures()
        } find: { [stored] keys in
            let ids = Set(keys.compactMap { $0.id(as: Value.self) })
            var found: [CacheKey: ReadRow] = [:]
            for row in stored where ids.contains(row.value.id) {
                found[CacheKey(row.value)] = (row.value, row.version)
            }
            return found
        } insert: { [stored, insertRows = declared.insertRows] transaction in
            transaction.prepareToInsert(stored.count, of: Value.self)
            insertRows(stored, transaction)
            recordFailures()
        }
    }

    private func value(of row: StoredRow) throws -> Value {
        let data = Data(row.value)
        if row.form == form { return try decoder.decode(Value.self, from: data) }
        if row.form > form { throw RowError("The row has the later form \(row.form).") }
        return try declared.upgrades.value(from: row.form) { try decoder.decode($0, from: data) }
    }
}

/// A row as the server sends it.
struct StoredRow {
    let id: String
    let version: Int64
    let form: Int
    /// The JSON text, valid as long as the message that contains it.
    let value: UnsafeRawBufferPointer
}

/// The value of a row, and its version.
typealias ReadRow = (value: any Sendable, version: Int64)

/// The decoded rows of a type.
struct TypeRows: Sendable {
    /// The number of rows that an import stores, and of those that it removes.
    let count: Int
    let errors: [PostgresGraphError]
    /// A closure that replaces the stored values, and removes those of rows that don't exist or
    /// can't be decoded.
    let publish: @Sendable (ParticipantTransaction) -> Void
    /// A closure that returns the rows of keys, also if memory doesn't keep them.
    let find: @Sendable ([CacheKey]) -> [CacheKey: ReadRow]
    /// A closure that stores the values of entities that have none.
    let insert: @Sendable (ParticipantTransaction) -> Void
}

/// The table of a replicated type, of any type.
protocol AnyReplicatedTable: AnyObject, Sendable {
    var name: String { get }
    var form: Int { get }
    var loading: ReplicatedLoading { get }
    var column: IdentifierColumn { get }
    var type: Any.Type { get }
    var typeIdentifier: ObjectIdentifier { get }

    /// Sets the loader of the type. It calls a closure that imports rows, and returns them.
    func addLoader(
        to cache: Cache,
        reading read: @escaping @Sendable ([CacheKey]) async throws -> [CacheKey: ReadRow]
    )

    /// Removes all entities of the type from memory.
    func removeAll(in transaction: ParticipantTransaction)

    func takeOver(
        _ access: CacheAccess
    ) -> (leftOutCount: @Sendable () -> Int, token: Disposable)
    func text(of key: CacheKey) throws(PostgresGraphError) -> String
    func key(of text: String) -> CacheKey?

    /// Returns those of some identifiers, or of all, whose rows concern memory.
    func concerned(_ ids: [String]?, _ access: CacheAccess) -> [String]

    /// Returns the error of a row that memory lacks because it can't be decoded.
    func failure(of key: CacheKey) -> PostgresGraphError?

    /// Decodes rows.
    ///
    /// - Parameters:
    ///   - rows: The rows.
    ///   - requested: The identifiers that were asked for; those without a row are removed.
    func decode(_ rows: some Sequence<StoredRow>, requested: [String]) -> TypeRows
}
#endif
