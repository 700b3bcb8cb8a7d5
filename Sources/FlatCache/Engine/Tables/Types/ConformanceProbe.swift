/// A probe that finds out whether a type has a conformance that any thread may use.
///
/// A cast to a metatype such as `any Equatable.Type` also succeeds for a conformance that is
/// isolated to an actor, on every thread. Using its witness elsewhere is a data race, or traps. A
/// cast to a protocol that refines `Sendable` never uses an isolated conformance, neither directly
/// nor to satisfy a condition (SE-0470, "Global-actor isolated conformances"). So the probe
/// conforms to such a protocol on the condition that the type has the conformance, and the cast is
/// applied to the probe.
///
/// The library's own protocols refine `Sendable`, and the compiler rejects an isolated conformance
/// to them.
@usableFromInline
struct ConformanceProbe<Value>: Sendable {
    /// A Boolean value that indicates whether values can be compared on any thread.
    @usableFromInline static var findsEquatable: Bool { Self() is any EquatableProbe }

    /// A Boolean value that indicates whether values can be decoded on any thread.
    @usableFromInline static var findsDecodable: Bool { Self() is any DecodableProbe }

    /// A Boolean value that indicates whether values can be ordered on any thread.
    @usableFromInline static var findsComparable: Bool { Self() is any ComparableProbe }
}

private protocol EquatableProbe: Sendable {}

extension ConformanceProbe: EquatableProbe where Value: Equatable {}

private protocol DecodableProbe: Sendable {}

extension ConformanceProbe: DecodableProbe where Value: Decodable {}

private protocol ComparableProbe: Sendable {}

extension ConformanceProbe: ComparableProbe where Value: Comparable {}
