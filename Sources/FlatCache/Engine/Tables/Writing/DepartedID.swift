/// An identifier whose entry has left the table, to be released after the locks.
@usableFromInline
final class DepartedID<ID: Sendable>: Sendable {
    private let id: ID

    @usableFromInline
    init(id: ID) { self.id = id }
}
