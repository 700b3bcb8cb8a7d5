import FlatCache

extension PersistentObject {
    /// Changes the state, and releases a replaced object after the lock of the state.
    func change(_ body: (inout ObjectState<Object>) -> Void) {
        let prior = memory.withLock { state in
            defer { body(&state) }
            return state.object
        }
        withExtendedLifetime(prior) {}
    }

    /// Schedules the notifications of the listeners for an event.
    ///
    /// The caller must hold the lock of the key.
    func announce(_ event: Update.Event) {
        let object = memory.withLock { $0.object }
        // The default is a client's closure, so it must be evaluated under no lock.
        let defaultValue = defaultValue
        access.call(
            listeners.calls { .success(Update(newValue: object ?? defaultValue(), event: event)) }
        )
    }

    /// Reports an error to the handler and the listeners, unless it equals the last report and no
    /// read or save has succeeded since.
    func report(_ error: PersistenceError) {
        guard persister.errors.record(error) else { return }
        let calls = listeners.calls { .failure(error) }
        access.call([{ [persister] in persister.handle(error) }] + calls)
    }

    /// Reports an error as `report` does, but calls the handler immediately, because the process
    /// may be about to exit.
    func reportAtOnce(_ error: PersistenceError) {
        guard persister.errors.record(error) else { return }
        persister.handle(error)
        access.call(listeners.calls { .failure(error) })
    }
}
