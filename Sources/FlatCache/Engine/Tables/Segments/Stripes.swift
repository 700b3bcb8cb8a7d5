/// The division of a table into stripes.
@usableFromInline
enum Stripes {
    /// The number of low bits of an identifier's hash that select the stripe.
    @inlinable static var bits: Int { 5 }
    @inlinable static var count: Int { 1 << bits }

    @inlinable @inline(__always)
    static func index(of hash: UInt32) -> Int { Int(truncatingIfNeeded: hash) & (count &- 1) }
}
