/// A value that a newer commit has displaced.
@usableFromInline
final class Displaced<Value> {
    @usableFromInline let version: UInt64

    // Guarded like the fields of its entry.

    @exclusivity(unchecked) @usableFromInline var value: Value?
    @exclusivity(unchecked) @usableFromInline var older: Displaced<Value>?

    @inlinable
    init(value: Value?, version: UInt64, older: Displaced<Value>?) {
        self.value = value
        self.version = version
        self.older = older
    }
}
