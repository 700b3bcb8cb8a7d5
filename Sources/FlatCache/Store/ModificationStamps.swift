/// The modification times of entities that were stored with a stamp.
///
/// Guarded by the writers' lock. All entities in `stamps` are in the table. The stamps of the
/// entities that were removed last are kept, so that loads can compare late answers with them.
final class ModificationStamps<ID: Hashable & Sendable, Stamp: Comparable & Sendable> {
    private var stamps = ChunkedDictionary<ID, Stamp>()
    private var removed = RecentStamps<ID, Stamp>()
    /// The previous stamps of the entities whose stamps have changed since a journal's changes were
    /// taken, or `nil` if their stamps aren't being read.
    private var former: ChunkedDictionary<ID, Stamp?>?

    /// Returns the latest known stamp of an entity, or `nil` if there is none.
    ///
    /// - Parameter isStored: Whether the entity has a value. If it was stored without a stamp, the
    ///   stamp of its removal doesn't count.
    func latest(of id: ID, isStored: Bool) -> Stamp? { isStored ? stamps[id] : removed[id] }

    /// Sets the stamp of a stored value; returns a closure that undoes the change.
    @_specialize(where ID == Int, Stamp == Int64)
    @_specialize(where ID == String, Stamp == Int64)
    func set(_ stamp: Stamp, of id: ID) -> () -> Void {
        let previous = stamps.updateValue(stamp, forKey: id)
        keepFormer(previous, of: id)
        return { [self] in stamps[id] = previous }
    }

    private func keepFormer(_ stamp: Stamp?, of id: ID) {
        guard former != nil, former?[id] == nil else { return }
        former?.updateValue(stamp, forKey: id)
    }
}

extension ModificationStamps: AnyModificationStamps {
    func restore(_ id: ID) -> (() -> Void)? { removed[id].map { set($0, of: id) } }

    func forget(_ id: ID) -> (() -> Void)? {
        guard let previous = stamps.removeValue(forKey: id) else { return nil }
        removed.insert(previous, of: id)
        keepFormer(previous, of: id)
        return { [self] in stamps[id] = previous }
    }

    func forgetAll() -> AnyObject {
        for (id, stamp) in stamps.prefix(RecentStamps<ID, Stamp>.limit) {
            removed.insert(stamp, of: id)
        }
        if former != nil { for (id, stamp) in stamps { keepFormer(stamp, of: id) } }
        defer { stamps = ChunkedDictionary() }
        return Released(stamps)
    }

    func keepFormerStamps(_ keepsThem: Bool) -> AnyObject {
        defer { former = keepsThem ? ChunkedDictionary() : nil }
        return Released(former)
    }

    func formerStamp(of id: ID) -> (any Comparable & Sendable)? {
        if let kept = former?[id] { return kept }
        return stamps[id]
    }

    var stampType: Any.Type { Stamp.self }
}

/// The modification stamps of a table, of any type.
@usableFromInline
protocol AnyModificationStamps<ID> {
    associatedtype ID

    /// Removes the stamp of an entity; returns a closure that undoes the removal, if there was a
    /// stamp.
    func forget(_ id: ID) -> (() -> Void)?

    /// Returns the stamp to an entity whose removal is undone; returns a closure that undoes this,
    /// if the entity had a stamp.
    func restore(_ id: ID) -> (() -> Void)?

    /// Removes the stamps of all entities, in no particular order; returns an object to release
    /// after the locks.
    func forgetAll() -> AnyObject

    /// Begins to keep the previous stamps when stamps change, or forgets them.
    ///
    /// - Returns: An object to release after the locks.
    func keepFormerStamps(_ keepsThem: Bool) -> AnyObject

    /// Returns the stamp that an entity had when previous stamps began to be kept.
    func formerStamp(of id: ID) -> (any Comparable & Sendable)?

    var stampType: Any.Type { get }
}

/// The stamps of the entities that were removed last.
///
/// A plain value without locks or callbacks.
struct RecentStamps<ID: Hashable & Sendable, Stamp: Sendable>: Sendable {
    /// The number of entities whose stamps are kept at least; at most, twice as many are.
    static var limit: Int { 10_000 }

    private var latest: [ID: Stamp] = [:]
    private var earlier: [ID: Stamp] = [:]

    subscript(id: ID) -> Stamp? { latest[id] ?? earlier[id] }

    /// Inserts the stamp of a removed entity, and drops the earlier stamps if there are too many.
    mutating func insert(_ stamp: Stamp, of id: ID) {
        latest[id] = stamp
        if latest.count >= Self.limit { (latest, earlier) = ([:], latest) }
    }
}
