/// What a table holds for one identifier: the newest value, and older ones that someone may still
/// read.
///
/// The newest may belong to a commit that is not visible yet. A reader takes the newest value whose
/// version is not above the one that it reads, so a commit of any size becomes visible at the
/// instant when the visible version changes; and a commit that is rolled back was never seen.
///
/// This is multiversion concurrency control as in Bernstein and Goodman, "Multiversion Concurrency
/// Control: Theory and Algorithms" (1983), with a single writer at a time.
///
/// Not copyable: reading one field through a pointer must not copy the others.
@usableFromInline
struct Entry<Value: Identifiable & Sendable>: ~Copyable where Value.ID: Sendable {
    @usableFromInline let id: Value.ID
    @usableFromInline let hash: UInt32

    /// The entry's node in the watch graph, or `.none` if nobody watches it.
    ///
    /// In an entry that has been moved by a rebuild, until that ends: the number of the new slot.
    ///
    /// Guarded by the writers' lock.
    @usableFromInline var node: WatchNodeID

    // The fields below are written under both the writers' lock and the stripe's lock, so either is
    // enough to read them.

    /// The version of the commit that wrote `value`.
    @usableFromInline var version: UInt64
    /// What was there before, newest first, as far as a reader may still need it.
    @usableFromInline var displaced: Displaced<Value>?
    /// The newest value; `nil` if there is none, because it was removed or has not arrived yet.
    @usableFromInline var value: Value?

    @inlinable
    init(
        id: Value.ID,
        hash: UInt32,
        node: WatchNodeID = .none,
        version: UInt64,
        value: Value?
    ) {
        self.id = id
        self.hash = hash
        self.node = node
        self.version = version
        self.value = value
    }

    /// Another entry that holds the same.
    @usableFromInline
    func copy() -> Entry {
        var copy = Entry(id: id, hash: hash, node: node, version: version, value: value)
        copy.displaced = displaced
        return copy
    }

    /// The value as of a version.
    @inlinable @inline(__always)
    func value(at readVersion: UInt64) -> Value? {
        version <= readVersion ? value : displacedValue(at: readVersion)
    }

    /// The version of the value as of a version.
    func version(at readVersion: UInt64) -> UInt64 {
        if version <= readVersion { return version }
        var candidate = displaced
        while let current = candidate {
            if current.version <= readVersion { return current.version }
            candidate = current.older
        }
        return 0
    }

    /// The value as of a version below that of the newest one.
    @usableFromInline
    func displacedValue(at readVersion: UInt64) -> Value? {
        var candidate = displaced
        while let current = candidate {
            if current.version <= readVersion { return current.value }
            candidate = current.older
        }
        return nil
    }
}
