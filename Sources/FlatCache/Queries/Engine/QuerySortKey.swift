/// The place of a value among the values of an order.
///
/// Most comparisons compare two numbers. A numeric value needs only its `prefix`, a value of
/// another type also its `rest`. Missing values and NaN come last, in both directions.
@usableFromInline
struct QuerySortKey: Sendable {
    /// A number that is in the order of the values.
    ///
    /// If a value precedes another one, its number isn't greater. Different values can have equal
    /// numbers: all strings have the number zero, for example, and are compared by their `rest`.
    @usableFromInline let prefix: UInt64
    /// The part of the value that the number doesn't contain, and the keys of further orders.
    @usableFromInline let rest: Rest?

    /// The part of a key that its number doesn't contain.
    @usableFromInline
    final class Rest: Sendable {
        let exact: Exact?
        /// The key of the next order.
        let next: QuerySortKey?

        init(_ exact: Exact?, next: QuerySortKey?) {
            self.exact = exact
            self.next = next
        }
    }

    /// A value whose number doesn't determine its place.
    @usableFromInline
    enum Exact: Sendable {
        case text(String, SortDirection)
        case other(any ComparableSortKey)
        case notANumber
        case missing
    }

    @usableFromInline
    init(prefix: UInt64, _ exact: Exact) {
        self.init(prefix: prefix, rest: Rest(exact, next: nil))
    }

    @inlinable
    init(prefix: UInt64, rest: Rest? = nil) {
        self.prefix = prefix
        self.rest = rest
    }

    @usableFromInline
    init(_ key: QuerySortKey, then next: QuerySortKey) {
        prefix = key.prefix
        rest = Rest(key.rest?.exact, next: next)
    }

    /// The key of all entities if there is no order.
    @inlinable static var none: QuerySortKey { QuerySortKey(prefix: 0) }

    @usableFromInline
    init(_ keys: [QuerySortKey]) {
        var joined = keys.last ?? .none
        for key in keys.dropLast().reversed() { joined = QuerySortKey(key, then: joined) }
        self = joined
    }
}

extension QuerySortKey {
    /// Returns a negative number, zero or a positive number if the first key comes before, with or
    /// after the second one.
    @inlinable
    static func compare(_ left: QuerySortKey, _ right: QuerySortKey) -> Int {
        if left.prefix != right.prefix { return left.prefix < right.prefix ? -1 : 1 }
        if left.rest == nil, right.rest == nil { return 0 }
        return compareRests(left, right)
    }

    @usableFromInline
    static func compareRests(_ left: QuerySortKey, _ right: QuerySortKey) -> Int {
        let exact = compare(left.rest?.exact, right.rest?.exact)
        if exact != 0 { return exact }
        guard let next = left.rest?.next, let rightNext = right.rest?.next else { return 0 }
        return compare(next, rightNext)
    }

    /// Compares the keys of the first of several orders.
    static func compareFirst(_ left: QuerySortKey, _ right: QuerySortKey) -> Int {
        if left.prefix != right.prefix { return left.prefix < right.prefix ? -1 : 1 }
        return compare(left.rest?.exact, right.rest?.exact)
    }

    static func compare(_ left: Exact?, _ right: Exact?) -> Int {
        switch (left, right) {
        case (.text(let left, let direction), .text(let right, _)):
            if left == right { return 0 }
            return (left < right) == (direction == .ascending) ? -1 : 1
        case (.other(let left), .other(let right)):
            return left.compare(to: right)
        default:
            return left.place - right.place
        }
    }
}

extension QuerySortKey.Exact? {
    /// The place among values whose numbers are equal.
    fileprivate var place: Int {
        switch self {
        case nil, .text, .other: 0
        case .notANumber: 1
        case .missing: 2
        }
    }
}

extension QuerySortKey {
    /// The greatest number, shared by missing values and the last number.
    @inlinable static var last: UInt64 { .max }

    /// Creates the key of a value that may be missing.
    @inlinable
    init<Value: Comparable & Sendable>(
        _ value: Value?,
        _ direction: SortDirection = .ascending
    ) {
        // Specialized code contains only one of these branches.
        if let value {
            if Value.self == Int.self, let value = value as? Int {
                self.init(prefix: Self.number(of: Int64(value)), direction)
            } else if Value.self == Double.self, let value = value as? Double {
                self.init(number: value, direction)
            } else if Value.self == String.self, let value = value as? String {
                self.init(prefix: 0, .text(value, direction))
            } else {
                self.init(other: value, direction)
            }
        } else {
            self.init(prefix: Self.last, .missing)
        }
    }

    @usableFromInline
    init(prefix: UInt64, _ direction: SortDirection) {
        self.init(prefix: direction == .descending ? ~prefix : prefix)
    }

    /// Creates the key of a number, of which the bits are in the order of the numbers.
    @usableFromInline
    init(number: Double, _ direction: SortDirection) {
        if number.isNaN {
            self.init(prefix: Self.last, .notANumber)
        } else {
            // Zero has one sign.
            let bits = (number == 0 ? 0 : number).bitPattern
            self.init(prefix: bits >> 63 == 0 ? bits ^ (1 << 63) : ~bits, direction)
        }
    }

    /// Creates the key of a value of any type.
    @usableFromInline
    init<Value: Comparable>(other value: Value, _ direction: SortDirection) {
        if let value = value as? String {
            self.init(prefix: 0, .text(value, direction))
        } else if let value = value as? Double {
            self.init(number: value, direction)
        } else if let value = value as? Float {
            self.init(number: Double(value), direction)
        } else if let value = value as? any FixedWidthInteger, value.bitWidth <= 64 {
            let isSigned = type(of: value).isSigned
            let number = isSigned ? Self.number(of: Int64(value)) : UInt64(value)
            self.init(prefix: number, direction)
        } else if value != value {
            // The value has no place in the order of its type, like NaN.
            self.init(prefix: Self.last, .notANumber)
        } else {
            self.init(prefix: 0, .other(OtherSortKey(value, direction)))
        }
    }

    /// Creates the key of an index.
    ///
    /// Keys of a comparable type are in that type's order. Others are in the order of their hash
    /// values, so that different keys may have the same place.
    init<Key: Hashable & Sendable>(indexing key: Key) {
        if key == key {
            self = Self(comparable: key) ?? Self(prefix: UInt64(bitPattern: Int64(key.hashValue)))
        } else {
            self.init(prefix: Self.last, .notANumber)
        }
    }

    /// Creates the key of a group, by which the rows of one group are adjacent.
    init<Key: Hashable & Sendable>(grouping key: Key) {
        // Different keys may have equal hash values.
        self =
            Self(comparable: key)
            ?? Self(
                prefix: UInt64(bitPattern: Int64(key.hashValue)),
                .other(GroupSortKey(key: key))
            )
    }

    /// Creates the key of a value, or returns `nil` if its type isn't comparable.
    private init?<Key: Hashable & Sendable>(comparable key: Key) {
        if let key = key as? Int {
            self.init(key)
        } else if ConformanceProbe<Key>.findsComparable, let key = key as? any Comparable {
            self.init(other: key, .ascending)
        } else {
            return nil
        }
    }

    @inlinable
    static func number(of value: Int64) -> UInt64 {
        UInt64(bitPattern: value) ^ (1 << 63)
    }
}

/// The key of a group among keys with the same hash value.
struct GroupSortKey<Key: Hashable & Sendable>: ComparableSortKey {
    let key: Key

    func compare(to other: any ComparableSortKey) -> Int {
        guard let other = other as? GroupSortKey else {
            preconditionFailure("The keys of an order must have one type.")
        }
        return IdentifierOrder.compare(key, other.key)
    }
}

/// A value of any type that is compared with others of its type.
@usableFromInline
protocol ComparableSortKey: Sendable {
    /// Returns a negative number, zero or a positive number if the value comes before, with or
    /// after another one.
    func compare(to other: any ComparableSortKey) -> Int
}

/// A value of a type that the library doesn't know.
struct OtherSortKey<Value: Comparable>: ComparableSortKey, @unchecked Sendable {
    // The value's type is `Sendable`. That can't be required of a type that is found at run time.
    private let value: Value
    private let direction: SortDirection

    init(_ value: Value, _ direction: SortDirection) {
        self.value = value
        self.direction = direction
    }

    func compare(to other: any ComparableSortKey) -> Int {
        guard let other = other as? OtherSortKey else {
            preconditionFailure("The keys of an order must have one type.")
        }
        if value < other.value { return direction == .ascending ? -1 : 1 }
        return other.value < value ? (direction == .ascending ? 1 : -1) : 0
    }
}

/// The order of identifiers, by which rows with equal sort keys are ordered.
///
/// Identifiers of a comparable type are in that type's order. Others are in the order of their hash
/// values. That order differs between runs of the program. Identifiers with equal hash values are
/// in the order of their descriptions, and those with equal descriptions in the order of their
/// first comparison.
@usableFromInline
enum IdentifierOrder {
    /// Returns a negative number, zero or a positive number if the first identifier comes before,
    /// with or after the second one.
    @inlinable
    static func compare<ID: Hashable & Sendable>(_ left: ID, _ right: ID) -> Int {
        if ID.self == Int.self, let left = left as? Int, let right = right as? Int {
            return left < right ? -1 : left == right ? 0 : 1
        }
        if left == right { return 0 }
        if ID.self == String.self, let left = left as? String, let right = right as? String {
            return left < right ? -1 : 1
        }
        return compareOther(left, right)
    }

    /// Compares identifiers that are neither integers nor strings.
    @usableFromInline
    static func compareOther<ID: Hashable & Sendable>(_ left: ID, _ right: ID) -> Int {
        if ConformanceProbe<ID>.findsComparable, let left = left as? any Comparable {
            return compareOpened(left, right)
        }
        let hashes = (left.hashValue, right.hashValue)
        if hashes.0 != hashes.1 { return hashes.0 < hashes.1 ? -1 : 1 }
        let descriptions = (String(reflecting: left), String(reflecting: right))
        if descriptions.0 != descriptions.1 { return descriptions.0 < descriptions.1 ? -1 : 1 }
        return numbers.withLock { $0.number(of: left) < $0.number(of: right) } ? -1 : 1
    }

    /// The numbers that the program keeps for identifiers with equal hash values and descriptions.
    private static let numbers = Locked(IdentifierNumbers())

    private static func compareOpened<Value: Comparable>(_ left: Value, _ right: Any) -> Int {
        guard let right = right as? Value else {
            preconditionFailure("The identifiers of a type of entities must have one type.")
        }
        return left < right ? -1 : 1
    }
}

/// The numbers of identifiers in the order in which they were asked for.
private struct IdentifierNumbers {
    private var numbers: [ErasedIdentifier: Int] = [:]

    mutating func number(of id: some Hashable & Sendable) -> Int {
        let id = ErasedIdentifier(id)
        let number = numbers[id] ?? numbers.count
        numbers[id] = number
        return number
    }
}
