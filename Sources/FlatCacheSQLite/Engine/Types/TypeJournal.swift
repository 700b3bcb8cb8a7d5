#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

/// The journal of a durable type, and the reading of the changes that it lists.
protocol AnyTypeJournal: Sendable {
    var journal: any AnyChangeJournal { get }

    /// `true` if the participant has taken changes and not confirmed them yet.
    ///
    /// The writers' lock guards the property.
    var isTaken: Bool { get }

    /// Returns the changes that were taken, with the values of a snapshot.
    func changes(in snapshot: CacheSnapshot) -> any TypeChanges
}

/// The changes to the entities of a type that a flush writes.
protocol TypeChanges: Sendable {
    var isEmpty: Bool { get }
}

/// The journal of a durable type with the type of its values.
struct TypeJournal<Value: Identifiable & Sendable>: AnyTypeJournal where Value.ID: Sendable {
    let typed: ChangeJournal<Value>
    let read: @Sendable (JournaledChanges<Value.ID>, CacheSnapshot) -> EntityChanges<Value>

    var journal: any AnyChangeJournal { typed }
    var isTaken: Bool { typed.taken != nil }

    func changes(in snapshot: CacheSnapshot) -> any TypeChanges {
        read(typed.taken ?? JournaledChanges(), snapshot)
    }
}
#endif
