/// The name of an entity in a history, whatever its type.
struct HistoryKey: Hashable, Sendable {
    /// The types of the entities.
    enum Kind: Int, CaseIterable, Sendable {
        /// Mergeable, by adding what arrives to what is there; equatable.
        case ledger
        /// Neither mergeable nor equatable.
        case gauge
    }

    let kind: Kind
    let number: Int

    func hash(into hasher: inout Hasher) {
        // One number in place of two: the search for an order mostly hashes states.
        hasher.combine(number << 1 | kind.rawValue)
    }
}

extension HistoryKey.Kind {
    var entity: any HistoryEntity.Type {
        switch self {
        case .ledger: Ledger.self
        case .gauge: Gauge.self
        }
    }
}

extension HistoryKey: CustomStringConvertible {
    var description: String { "\(kind) \(number)" }
}
