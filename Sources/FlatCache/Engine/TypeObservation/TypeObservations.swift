/// The observations of all entities of a type: a recorder that notifies their observers.
///
/// The writers' lock guards all properties.
final class TypeObservations: CommitRecorder, @unchecked Sendable {
    /// The number under which the recorder is registered.
    let registration: UInt64
    private var observers: [ObjectIdentifier: RegistrationList<Observer>] = [:]

    init(registration: UInt64) { self.registration = registration }

    var isEmpty: Bool { observers.isEmpty }

    func insert(_ observer: Observer, of table: any AnyTable) {
        observers[table.typeIdentifier, default: RegistrationList()]
            .insert(observer, for: observer.registration)
        table.isObservedAsAWhole = true
    }

    func remove(_ registration: UInt64, of table: any AnyTable) {
        // The list is changed in place, because a copy would take time for each other observer.
        observers[table.typeIdentifier]?.remove(registration)
        guard observers[table.typeIdentifier]?.isEmpty ?? true else { return }
        observers[table.typeIdentifier] = nil
        table.isObservedAsAWhole = false
    }

    func record(_ commit: inout Commit) {
        notifyObservers(of: &commit) { _ in true }
    }

    func notify(_ registrations: Set<UInt64>, of commit: inout Commit) {
        notifyObservers(of: &commit, where: registrations.contains)
    }

    private func notifyObservers(
        of commit: inout Commit,
        where isIncluded: (UInt64) -> Bool
    ) {
        for table in commit.tables {
            guard let list = observers[table.typeIdentifier],
                let changes = table.changes(version: commit.version)
            else { continue }
            list.forEach { observer in
                guard isIncluded(observer.registration) else { return }
                commit.notify(observer, of: changes)
            }
        }
    }

    func end(_ commit: inout Commit) {
        for list in observers.values { list.forEach { commit.end($0) } }
        observers = [:]
    }
}
