#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

// The row of a request contains its response.
extension RequestState: Codable {
    /// Throws, since only the load of a request knows the type of its response.
    ///
    /// `DurableTable.response(of:as:_:_:)` decodes the response itself.
    init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(
            DecodingError.Context(
                codingPath: decoder.codingPath,
                debugDescription: "A response can be decoded only as the type of a load."
            )
        )
    }

    func encode(to encoder: any Encoder) throws {
        let response = responseValue
        guard let response = response as? any Encodable else {
            throw EncodingError.invalidValue(
                response,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription: "\(responseType) doesn't conform to Codable."
                )
            )
        }
        var container = encoder.singleValueContainer()
        try container.encode(response)
    }
}

extension StateRules where State == RequestState {
    static func responses(_ prefixes: [String]?) -> StateRules {
        StateRules(
            isKept: { name in prefixes?.contains { name.hasPrefix($0) } ?? true },
            needsType: true,
            named: { state, _ in state },
            describe: { "The response of the request \(String(reflecting: $0))" },
            makeJournal: { $0.journalOfRequests(signal: $1) },
            adjust: { changes, access in changes.adjustResponses(at: access.now) }
        )
    }
}

extension EntityChanges where Value == RequestState {
    /// Removes the rows of responses that can't be encoded, and gives the others their freshness.
    ///
    /// The time for which a response has been stale is negative while it's fresh.
    fileprivate mutating func adjustResponses(at now: CacheInstant) {
        entities.removeAll { entity in
            if entity.value.responseType is any (Decodable & Encodable).Type { return false }
            taken.removed.insert(entity.id)
            return true
        }
        for index in entities.indices {
            let lifetime = entities[index].value.lifetime(at: now)
            entities[index].freshness.staleFor = lifetime.map { .zero - $0 }
        }
    }
}
#endif
