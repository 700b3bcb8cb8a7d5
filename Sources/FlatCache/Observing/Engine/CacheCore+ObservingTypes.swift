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
            add: { [unowned table] _ in
                table.typeObservers.insert(observer, for: observer.registration)
            }
        )
        let version = register(registration, "observeAll(…)", opensSnapshot: initial)
        if initial { enqueueAll(of: table, at: version, for: observer) }
        return token(for: registration, of: observer) { [unowned table] _ in
            table.typeObservers.remove(observer.registration)
        }
    }

    /// Returns the notifications of the observers of the types that a commit has written, in no
    /// order.
    func typeNotifications(for version: UInt64) -> [CommitNotification] {
        var notifications: [CommitNotification] = []
        for table in writer.writtenTables where table.isObservedAsAWhole {
            guard let changes = table.changes(version: version) else { continue }
            table.typeObservers.forEach { observer in
                notifications.append(
                    CommitNotification(number: observer.registration, .event(changes, observer))
                )
            }
        }
        return notifications
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
