/// The modification times of entities that were stored with a stamp.
///
/// Guarded by the writers' lock. All entities with a stamp are in the table.
final class ModificationStamps<ID: Hashable, Stamp: Comparable & Sendable> {
    private var stamps: [ID: Stamp] = [:]

    /// Returns whether a stamp is older than the stamp of the stored value.
    func isOutdated(_ stamp: Stamp, of id: ID) -> Bool {
        guard let latest = stamps[id] else { return false }
        return stamp < latest
    }

    /// Sets the stamp of a stored value; returns a closure that undoes the change.
    func set(_ stamp: Stamp, of id: ID) -> () -> Void {
        let previous = stamps.updateValue(stamp, forKey: id)
        return { [self] in stamps[id] = previous }
    }
}

extension ModificationStamps: AnyModificationStamps {
    func forget(_ id: ID) -> (() -> Void)? {
        guard let previous = stamps.removeValue(forKey: id) else { return nil }
        return { [self] in stamps[id] = previous }
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

    var stampType: Any.Type { get }
}
