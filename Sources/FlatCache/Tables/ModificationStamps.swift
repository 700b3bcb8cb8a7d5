/// When the values of some entities were modified, as those have said who stored them.
///
/// Guarded by the writers' lock. Of the entities whose stamps it keeps each is in the table.
final class ModificationStamps<ID: Hashable, Stamp: Comparable & Sendable> {
    private var stamps: [ID: Stamp] = [:]

    /// Whether a stamp is older than that of what is stored.
    func isOutdated(_ stamp: Stamp, of id: ID) -> Bool {
        guard let latest = stamps[id] else { return false }
        return stamp < latest
    }

    /// Notes the stamp of what is stored; returns what takes that back.
    func note(_ stamp: Stamp, of id: ID) -> () -> Void {
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

/// The stamps of some entities of a table, whatever type they are of.
@usableFromInline
protocol AnyModificationStamps<ID> {
    associatedtype ID

    /// Forgets the stamp of an entity; returns what takes that back, if there was one.
    func forget(_ id: ID) -> (() -> Void)?

    var stampType: Any.Type { get }
}
