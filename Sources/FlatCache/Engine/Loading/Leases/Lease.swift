/// The moment at which a call began, as its number among the calls of its cache.
@usableFromInline
struct Lease: Hashable, Sendable {
    let number: UInt64
}
