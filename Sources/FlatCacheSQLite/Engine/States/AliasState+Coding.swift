#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

extension AliasState: Codable where Value.ID: Codable {
    init(from decoder: any Decoder) throws {
        let row = try AliasRow<Value.ID>(from: decoder)
        self.init(id: "", target: row.target, pinsTarget: row.pins)
    }

    func encode(to encoder: any Encoder) throws {
        try AliasRow(target: target, pins: pinsTarget).encode(to: encoder)
    }
}

extension StateRules {
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
