import FlatCache

extension PersistentObject {
    /// Loads an object that others have stored, unless the object in memory has unsaved changes.
    ///
    /// The caller must hold the lock of the key.
    func refresh() {
        let (isDirty, version) = memory.withLock { ($0.isDirty, $0.version) }
        guard !isDirty, version != persister.latestVersion else { return }
        do throws(PersistenceError) {
            let (content, version) = try persister.load()
            try apply(content, version)
        } catch {
            report(error)
        }
    }

    /// Replaces the object in memory by the stored one, unless they match or it has changed in
    /// place.
    ///
    /// - Throws: ``PersistenceError`` if the stored object can't be decoded, or if the object in
    ///   memory can't be encoded to find its changes in place.
    private func apply(_ content: ObjectContent, _ version: Int) throws(PersistenceError) {
        if memory.withLock({ $0.base == content }) {
            // The object in memory remains the same instance. That matters for reference types.
            let isValid = memory.withLock { state in
                state.version = version
                return state.problem == nil
            }
            if isValid { persister.errors.clear() }
            return
        }
        // An object that has changed in place remains in memory, and its next save resolves the
        // conflict.
        do throws(PersistenceError) { if try recordChangeInPlace() { return } } catch {
            memory.withLock { $0.isDirty = true }
            throw error
        }
        do throws(PersistenceError) {
            try replaceObject(with: content, version)
        } catch {
            memory.change { state in
                state.base = content
                state.version = version
                state.problem = error
            }
            throw error
        }
    }

    /// Replaces the object in memory by a stored one.
    ///
    /// - Throws: ``PersistenceError`` if the stored object can't be decoded.
    func replaceObject(
        with content: ObjectContent,
        _ version: Int
    ) throws(PersistenceError) {
        let object = try decoded(content)
        recordStored(content, fingerprint(of: object), version) { $0.object = object }
    }

    /// Records that the object in memory matches the stored content.
    ///
    /// - Parameter body: A closure that changes the state first.
    func recordStored(
        _ content: ObjectContent,
        _ fingerprint: ObjectContent?,
        _ version: Int,
        _ body: (inout ObjectState<Object>) -> Void
    ) {
        memory.change { state in
            body(&state)
            state.recordStored(content, fingerprint, version: version)
        }
        persister.errors.clear()
    }

    func decoded(_ content: ObjectContent) throws(PersistenceError) -> Object? {
        try access.explaining(.untransform) { try coding.object(from: content) }
    }

    /// Applies a change that the storage has announced, unless the object has made it.
    func receiveChange(_ version: Int) {
        access.exclusively {
            if memory.withLock({ $0.ownVersions.remove(version) }) != nil { return }
            refresh()
            announceExternalChangeIfValid()
        }
    }

    /// Reports an error, and takes over a value that readers of this process may already share
    /// although it couldn't be stored.
    func receive(_ error: PersistenceError) {
        access.exclusively {
            report(error)
            let before = memory.withLock { $0.version }
            refresh()
            if memory.withLock({ $0.version }) != before { announceExternalChangeIfValid() }
        }
    }

    private func announceExternalChangeIfValid() {
        guard memory.withLock({ $0.isDirty || $0.problem == nil }) else { return }
        announce(.changedExternally)
        access.call([
            { [weak self] in
                guard let self else { return }
                onExternalChange?(self)
            }
        ])
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
