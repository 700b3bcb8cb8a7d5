/// The order of identifiers, by which rows with equal sort keys are ordered.
///
/// Identifiers of a comparable type are in that type's order. Others are in the order of their hash
/// values, which differs between runs of the program; those with equal hash values in the order of
/// their descriptions, and those with equal descriptions in the order of their first comparison.
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

    /// The numbers of identifiers with equal hash values and descriptions, which the program keeps.
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
