#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

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
}

extension DurableTable {
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

/// The response in the row of a request.
struct StoredResponse<Response: Sendable>: Sendable {
    let response: Response
    /// The time since the response was stored, or `nil` if it's unknown.
    let age: Duration?
    /// The time until the response is stale, negative if it's stale already, or `nil` if it never
    /// becomes stale.
    let lifetime: Duration?
}

extension DurableTable where Value == RequestState {
    /// Reads and decodes the response of a request.
    ///
    /// A row that can't be decoded as the type moves to the quarantine.
    ///
    /// - Returns: The response, or `nil` if there is none, it has been stale for too long, or its
    ///   type doesn't conform to `Codable`.
    func response<Response: Sendable>(
        of request: String,
        as type: Response.Type,
        _ errors: inout [SQLiteGraphError]
    ) throws(SQLiteGraphError) -> StoredResponse<Response>? {
        guard let decodable = type as? any (Decodable & Encodable).Type else { return nil }
        let now = now
        guard try isReadable(&errors), isKept(request),
            let identifier = identifier(of: request, &errors)
        else { return nil }
        let stored = try read(identifier, countsAsUse: true, &errors) { select in
            guard let response = try coder.decode(decodable, from: select.bytes(1)) as? Response
            else { throw OtherType() }
            return StoredResponse(
                response: response,
                age: select.isNull(2) ? nil : now.age(of: select.number(2)),
                lifetime: lifetime(select, now)
            )
        }
        guard let lifetime = stored?.lifetime else { return stored }
        return lifetime > .zero - RequestState.keptWhileStale ? stored : nil
    }

    /// The error of a decoder that returns a value of another type than the requested one.
    private struct OtherType: Error {}

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
