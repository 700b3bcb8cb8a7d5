/// The number of a load among the loads of its cache, in the order in which they have begun.
@usableFromInline
struct Lease: Hashable, Sendable {
    let number: UInt64
}
