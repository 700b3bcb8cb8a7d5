/// The value of an entity before a newer commit.
@usableFromInline
final class PriorVersion<Value> {
    @usableFromInline let version: UInt64

    // Guarded like the fields of its entry.

    @exclusivity(unchecked) @usableFromInline var value: Value?
    @exclusivity(unchecked) @usableFromInline var older: PriorVersion<Value>?
    /// The freshness of the value, if the table records it.
    @exclusivity(unchecked) @usableFromInline var freshness = FreshnessRecord()

    @inlinable
    init(value: Value?, version: UInt64, older: PriorVersion<Value>?) {
        self.value = value
        self.version = version
        self.older = older
    }
}
