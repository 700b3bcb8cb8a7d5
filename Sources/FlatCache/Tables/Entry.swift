/// What a table holds for one identifier: the newest value, and older ones that someone may still
/// read.
///
/// The newest may belong to a commit that is not visible yet. A reader takes the newest value whose
/// version is not above the one that it reads, so a commit of any size becomes visible at the
/// instant when the visible version changes; and a commit that is rolled back was never seen.
///
/// This is multiversion concurrency control as in Bernstein and Goodman, "Multiversion Concurrency
/// Control: Theory and Algorithms" (1983), with a single writer at a time.
@usableFromInline
final class Entry<Value: Identifiable & Sendable>: AnyEntry where Value.ID: Sendable {
    @usableFromInline let id: Value.ID
    @usableFromInline let hash: Int

    // The fields below are written under both the writers' lock and the stripe's lock, so either is
    // enough to read them.

    /// The newest value; `nil` if there is none, because it was removed or has not arrived yet.
    @exclusivity(unchecked) @usableFromInline var value: Value?
    /// The version of the commit that wrote `value`.
    @exclusivity(unchecked) @usableFromInline var version: UInt64
    /// What was there before, newest first, as far as a reader may still need it.
    @exclusivity(unchecked) @usableFromInline var displaced: Displaced<Value>?
    /// Whether the entry has left its table.
    ///
    /// It is empty then for good; a handle that holds it looks its identifier up anew.
    @exclusivity(unchecked) @usableFromInline var isDetached = false

    /// Whether the entry waits in its table's list of what snapshots prevent from being tidied.
    ///
    /// Guarded by the writers' lock.
    @exclusivity(unchecked) @usableFromInline var isUnsettled = false

    @inlinable
    init(id: Value.ID, hash: Int, value: Value, version: UInt64) {
        self.id = id
        self.hash = hash
        self.value = value
        self.version = version
    }

    /// The newest value, if there is one, of an entity that nobody watches; `nil` for others.
    ///
    /// For the writer.
    @inlinable @inline(__always) var unwatchedValue: Value? { node == .none ? value : nil }

    /// The value as of a version.
    @inlinable @inline(__always)
    func value(at readVersion: UInt64) -> Value? {
        version <= readVersion ? value : displacedValue(at: readVersion)
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

/// An entry of a table of any type, as the watch graph knows it.
@usableFromInline
class AnyEntry {
    /// The entry's node in the watch graph, or `.none` if nobody watches it.
    ///
    /// Guarded by the writers' lock.
    @exclusivity(unchecked) @usableFromInline final var node: WatchNodeID = .none

    @usableFromInline init() {}
}

/// A value that a newer commit has displaced.
@usableFromInline
final class Displaced<Value> {
    @usableFromInline let value: Value?
    @usableFromInline let version: UInt64
    // Guarded like the fields of the entry that it belongs to.
    @exclusivity(unchecked) @usableFromInline var older: Displaced<Value>?

    @inlinable
    init(value: Value?, version: UInt64, older: Displaced<Value>?) {
        self.value = value
        self.version = version
        self.older = older
    }
}
