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
    ///
    /// - Parameter atOnce: `true` to call the handler immediately, because the process may be about
    ///   to exit.
    func report(_ error: PersistenceError, atOnce: Bool = false) {
        guard persister.errors.record(error) else { return }
        var calls = listeners.calls { .failure(error) }
        if atOnce {
            persister.handle(error)
        } else {
            calls.insert({ [persister] in persister.handle(error) }, at: 0)
        }
        access.call(calls)
    }
}
