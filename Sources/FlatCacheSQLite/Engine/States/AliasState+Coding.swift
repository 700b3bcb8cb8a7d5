#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

// The row of an alias contains all but its name, which is the row's identifier.
extension AliasState: Codable where Value.ID: Codable {
    private enum CodingKeys: CodingKey { case target, pins }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: "",
            target: try container.decode(Value.ID.self, forKey: .target),
            pinsTarget: try container.decode(Bool.self, forKey: .pins)
        )
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(target, forKey: .target)
        try container.encode(pinsTarget, forKey: .pins)
    }
}

extension StateRules {
    /// Returns the rules for the aliases of a type.
    static func aliases<Value: Identifiable & Sendable>(
        of type: Value.Type,
        _ loading: DurableLoading
    ) -> StateRules where State == AliasState<Value>, Value.ID: Codable & Sendable {
        StateRules(
            named: { AliasState(id: $1, target: $0.target, pinsTarget: $0.pinsTarget) },
            related: { state in
                loading == .atStart ? [CacheKey(Value.self, id: state.target)] : []
            },
            describe: { "The alias \(String(reflecting: $0)) for \(Value.self)" }
        )
    }
}
#endif
