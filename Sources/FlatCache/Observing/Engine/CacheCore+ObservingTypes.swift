extension CacheCore {
    @usableFromInline
    func observeAll<Value: Identifiable & Sendable>(
        of table: Table<Value>,
        initial: Bool,
        delivery: CacheDelivery,
        _ body: @escaping @Sendable (TypeChanges<Value>) -> Void
    ) -> Disposable where Value.ID: Sendable {
        let observer = Observer(
            registration: nextRegistration(),
            delivery: delivery,
            holdsEvents: initial,
            body
        )
        rememberOwnQueue(of: observer)
        let registration = PendingRegistration(
            of: observer,
            add: { [unowned self, unowned table] _ in
                typeObservations().insert(observer, of: table)
            }
        )
        let version = register(registration, "observeAll(…)", opensSnapshot: initial)
        if initial { enqueueAll(of: table, at: version, for: observer) }
        return token(for: registration, of: observer) { [unowned table] writer in
            let observations = writer.participants.first(TypeObservations.self)
            guard let observations else { return }
            observations.remove(observer.registration, of: table)
            if observations.isEmpty { _ = writer.participants.remove(observations.registration) }
        }
    }

    /// Returns a sequence of all changes to entities of a table, in commit order.
    @usableFromInline
    func changes<Value: Identifiable & Sendable>(
        of table: Table<Value>,
        buffering policy: BufferingPolicy
    ) -> CacheSequence<EntityChange<Value>> where Value.ID: Sendable {
        CacheSequence(policy) { [self] sender in
            observeAll(of: table, initial: false, delivery: .inline) { commit in
                for change in commit.changes { sender.send(.known(change)) }
            }
        }
    }

    /// Returns the recorder of the observations of types.
    ///
    /// The first of them adds it.
    private func typeObservations() -> TypeObservations {
        if let present = writer.participants.first(TypeObservations.self) { return present }
        let observations = TypeObservations(registration: nextRegistration())
        writer.participants.insert(observations, for: observations.registration)
        return observations
    }

    /// Enqueues the initial notification of all entities of a table as of a version, and closes the
    /// version's snapshot.
    private func enqueueAll<Value: Identifiable & Sendable>(
        of table: Table<Value>,
        at version: UInt64,
        for observer: Observer
    ) where Value.ID: Sendable {
        var changes: [EntityChange<Value>] = []
        table.forEachValue(at: version) { id, value in
            changes.append(
                EntityChange(id: id, kind: .inserted, old: nil, new: value, version: version)
            )
        }
        closeSnapshot(version)
        let event = changes.isEmpty ? nil : EventBox(TypeChanges(changes, version: version))
        let ticket = deliveryQueue.append([.initialEvent(event, observer)])
        if writerLock.isHeldByCurrentThread {
            writer.mustDeliver(through: ticket)
        } else {
            deliveryQueue.deliver(through: ticket)
        }
    }
}

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
