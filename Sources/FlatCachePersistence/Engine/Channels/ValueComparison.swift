/// A closure that returns whether two values are equal, so that storing one over the other isn't a
/// change.
typealias ValueComparison<Value> = @Sendable (Value, Value) -> Bool

/// The lookup of a comparison for values of a generic type.
struct ValueComparing<Value: Sendable>: Sendable {
    /// The comparison of two values, if their type is `Equatable` on every thread.
    static var found: ValueComparison<Value>? {
        guard let equatable = Self() as? any EquatableValues<Value> else { return nil }
        return { equatable.areEqual($0, $1) }
    }
}

/// A comparison of values.
///
/// It refines `Sendable`, so that a cast to it never finds a conformance to `Equatable` that is
/// isolated to an actor (SE-0470).
private protocol EquatableValues<Value>: Sendable {
    associatedtype Value

    func areEqual(_ left: Value, _ right: Value) -> Bool
}

extension ValueComparing: EquatableValues where Value: Equatable {
    func areEqual(_ left: Value, _ right: Value) -> Bool { left == right }
}
