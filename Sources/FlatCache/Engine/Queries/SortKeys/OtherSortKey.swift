/// A value of any type that is compared with others of its type.
@usableFromInline
protocol ComparableSortKey: Sendable {
    /// Returns a negative number, zero or a positive number if the value comes before, with or
    /// after another one.
    func compare(to other: any ComparableSortKey) -> Int
}

/// A value of a type that the library doesn't know.
@usableFromInline
struct OtherSortKey<Value: Comparable>: ComparableSortKey, @unchecked Sendable {
    // The value's type is `Sendable`, which can't be required of a type that is found at run time.
    private let value: Value
    private let isDescending: Bool

    @usableFromInline
    init(_ value: Value, isDescending: Bool) {
        self.value = value
        self.isDescending = isDescending
    }

    @usableFromInline
    func compare(to other: any ComparableSortKey) -> Int {
        guard let other = other as? OtherSortKey else {
            preconditionFailure("The keys of an order must have one type.")
        }
        if value < other.value { return isDescending ? 1 : -1 }
        return other.value < value ? (isDescending ? -1 : 1) : 0
    }
}
