/// The key of a group among keys with the same hash value.
struct GroupSortKey<Key: Hashable & Sendable>: ComparableSortKey {
    private let key: Key

    init(_ key: Key) { self.key = key }

    func compare(to other: any ComparableSortKey) -> Int {
        guard let other = other as? GroupSortKey else {
            preconditionFailure("The keys of an order must have one type.")
        }
        return IdentifierOrder.compare(key, other.key)
    }
}
