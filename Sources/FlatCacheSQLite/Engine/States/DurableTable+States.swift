#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache
import FlatCacheRows

extension DurableTable {
    /// Returns the identifiers of the rows of requests or lists whose names have one of some
    /// prefixes.
    func identifiers(withPrefixes prefixes: [String]) throws(SQLiteGraphError) -> [RowIdentifier] {
        if prefixes.isEmpty { return [] }
        return try database.rows(sql.identifiers) { row in
            let name = row.text(0)
            return prefixes.contains(where: name.hasPrefix) ? .text(name) : nil
        }
    }

    /// Returns the names of the lists in the file that the graph keeps because of a prefix.
    func prefixedIDs() throws(SQLiteGraphError) -> [Value.ID] {
        let prefixes = durable.state?.prefixes.map(\.prefix) ?? []
        let identifiers = try identifiersOfLists(withPrefixes: prefixes)
        return identifiers.compactMap { try? form.decode($0) }
    }

    /// Returns the identifiers of the rows of lists whose names have one of some prefixes, except
    /// lists with a separate declaration.
    func identifiersOfLists(
        withPrefixes prefixes: [String]
    ) throws(SQLiteGraphError) -> [RowIdentifier] {
        let names = Set((durable.state?.names ?? []).compactMap { try? form.encode($0) })
        return try identifiers(withPrefixes: prefixes).filter { !names.contains($0) }
    }
}

extension DurableTable where Value == RequestState {
    /// Reads and decodes the response of a request, unless it has been stale for too long or its
    /// type doesn't conform to `Codable`.
    ///
    /// A row that can't be decoded as the type moves to the quarantine.
    func readResponse<Response: Sendable>(
        of request: String,
        as type: Response.Type
    ) throws(SQLiteGraphError) -> ReadRows {
        guard let decodable = type as? any (Decodable & Encodable).Type, try isReadable(),
            isKept(request), let identifier = identifier(of: request)
        else { return restoring([]) }
        let now = now
        let stored = try read(identifier, countsAsUse: true) { select in
            guard let response = try coder.decode(decodable, from: select.bytes(1)) as? Response
            else { throw RowError.otherType }
            let age = select.isNull(2) ? nil : now.age(of: select.number(2))
            return (response: response, age: age, lifetime: lifetime(select, now))
        }
        guard let stored, stored.lifetime ?? .zero > .zero - RequestState.keptWhileStale else {
            return restoring([])
        }
        return ReadRows(
            count: 1,
            restore: {
                $0.insert(
                    stored.response,
                    ofRequest: request,
                    relatedKeys: [],
                    age: stored.age,
                    lifetime: stored.lifetime
                )
            }
        )
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
#endif
