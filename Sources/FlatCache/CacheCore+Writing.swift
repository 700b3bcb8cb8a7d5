extension CacheCore {
    func set<Value: Identifiable & Sendable>(_ value: Value) -> Value where Value.ID: Sendable {
        let table = tables.table(of: Value.self)
        return write("set(_:)") { writer in
            store(value, merging: true, in: table, writer)
        }
    }

    func set<Value: Identifiable & Sendable>(
        contentsOf values: some Sequence<Value>
    ) -> [Value] where Value.ID: Sendable {
        let table = tables.table(of: Value.self)
        // The sequence may run any code, so it is gone through before the lock is taken.
        let values = Array(values)
        return write("set(contentsOf:)") { writer in
            values.map { store($0, merging: true, in: table, writer) }
        }
    }

    func replace<Value: Identifiable & Sendable>(_ value: Value) -> Value where Value.ID: Sendable {
        let table = tables.table(of: Value.self)
        return write("replace(_:)") { writer in
            store(value, merging: false, in: table, writer)
        }
    }

    func update<Value: Identifiable & Sendable, Failure: Error>(
        _ type: Value.Type,
        id: Value.ID,
        _ body: (inout Value) throws(Failure) -> Void
    ) throws(Failure) -> Value? where Value.ID: Sendable {
        let table = tables.table(of: type)
        let hash = id.hashValue
        // Out here, so that it is released after the lock also if the closure throws.
        var changed: Value?
        return try write("update(_:id:_:)", asUnit: true) { writer throws(Failure) in
            changed = table.entry(id: id, hash: hash)?.value
            guard var value = changed.take() else { return nil }
            defer { changed = value }
            try body(&value)
            precondition(
                value.id == id,
                """
                The closure of update(_:id:_:) has changed \(CacheKey(type, id: id)) into \
                \(CacheKey(value)). A value keeps its identifier: remove the one and set the other.
                """
            )
            return store(value, merging: false, in: table, writer)
        }
    }

    func remove<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID
    ) -> Value? where Value.ID: Sendable {
        let table = tables.table(of: type)
        let hash = id.hashValue
        return write("remove(_:id:)") { writer in
            guard let entry = table.entry(id: id, hash: hash), let value = entry.value else {
                return nil
            }
            table.write(nil, to: entry, in: writer)
            return value
        }
    }

    func removeAll<Value: Identifiable & Sendable>(
        _ type: Value.Type
    ) -> Int where Value.ID: Sendable {
        let table = tables.table(of: type)
        return write("removeAll(_:)") { writer in
            table.removeAll(in: writer) { _ in true }
        }
    }

    func removeAll() -> Int {
        write("removeAll()") { writer in
            var removed = 0
            for table in tables.allTables { removed += table.removeAll(in: writer) { _ in true } }
            return removed
        }
    }

    /// Writes a value as part of the open transaction, unless it is equal to what is there.
    ///
    /// - Returns: What is stored then.
    private func store<Value: Identifiable & Sendable>(
        _ value: Value,
        merging: Bool,
        in table: Table<Value>,
        _ writer: Writer
    ) -> Value where Value.ID: Sendable {
        let id = value.id
        let hash = id.hashValue
        guard let entry = table.entry(id: id, hash: hash) else {
            table.insert(value, id: id, hash: hash, in: writer)
            return value
        }
        guard let existing = entry.value else {
            table.write(value, to: entry, in: writer)
            return value
        }
        var result = value
        if merging, let merge = table.traits.merge {
            result = writer.runUserCode("merged(with:)", of: Value.self) { merge(existing, value) }
            precondition(
                result.id == id,
                """
                merged(with:) of \(CacheKey(value)) has returned \(CacheKey(result)). The result of \
                a merge must have the identifier of the values that are merged.
                """
            )
        }
        if writer.areEqual(existing, result, table.traits) {
            // A value that merging has made, and nobody else holds, is released after the lock.
            if merging, table.traits.merge != nil {
                writer.releaseLater(Displaced(value: result, version: 0, older: nil))
            }
            return existing
        }
        table.write(result, to: entry, in: writer)
        return result
    }
}
