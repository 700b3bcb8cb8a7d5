/// The value of an entity before a newer commit.
///
/// The prior versions of the open transaction lie in the `PriorVersionLog` of their table. If a
/// snapshot needs one after the commit, the table moves it to memory of its own.
///
/// The type isn't copyable, like `Entry`.
@usableFromInline
struct PriorVersion<Value>: ~Copyable {
    @usableFromInline typealias Pointer = UnsafeMutablePointer<PriorVersion>

    @usableFromInline let version: UInt64
    /// A Boolean value that indicates whether the prior version is in memory of its own.
    @usableFromInline var isKept: Bool

    // Guarded like the fields of its entry.

    @usableFromInline var value: Value?
    @usableFromInline var older: Pointer?
    /// The freshness of the value, if the table records it.
    @usableFromInline var freshness = FreshnessRecord()

    @inlinable
    init(value: Value?, version: UInt64, older: Pointer?) {
        self.value = value
        self.version = version
        self.older = older
        isKept = false
    }

    /// Takes the value, and returns it in another prior version with the same place in the chain.
    mutating func takeContent() -> PriorVersion {
        var taken = PriorVersion(value: value.take(), version: version, older: older)
        taken.freshness = freshness
        return taken
    }

    /// Moves a prior version to memory of its own.
    static func keep(_ prior: consuming PriorVersion) -> Pointer {
        let kept = Pointer.allocate(capacity: 1)
        kept.initialize(to: prior)
        kept.pointee.isKept = true
        return kept
    }
}
