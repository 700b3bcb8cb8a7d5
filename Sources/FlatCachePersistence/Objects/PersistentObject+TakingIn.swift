import FlatCache

extension PersistentObject {
    /// Loads an object that others have stored, unless the object in memory has unsaved changes.
    ///
    /// The caller must hold the lock of the place.
    func refresh() {
        let (isDirty, version) = state.withLock { ($0.isDirty, $0.version) }
        guard !isDirty, version != place.version.current else { return }
        do throws(PersistenceError) {
            let (content, version) = try place.load()
            takeIn(content, version)
        } catch {
            report(error)
        }
    }

    private func takeIn(_ content: ObjectContent, _ version: Int) {
        if state.withLock({ $0.base == content }) {
            // The object in memory stays identical, which matters for reference types.
            state.withLock { state in
                state.version = version
                if state.problem == nil { state.reported = nil }
            }
            return
        }
        // An object that has changed in place stays in memory, and its next save resolves the
        // conflict.
        do throws(PersistenceError) { if try noteChangeInPlace() { return } } catch {
            state.withLock { $0.isDirty = true }
            report(error)
            return
        }
        do throws(PersistenceError) {
            let object = try decoded(content)
            let fingerprint = fingerprint(of: object)
            let defaultFingerprint = object == nil ? fingerprintOfDefault() : nil
            change { state in
                state.object = object
                state.settle(content, fingerprint, version: version)
                if object == nil { state.defaultFingerprint = defaultFingerprint }
            }
        } catch {
            change { state in
                state.base = content
                state.version = version
                state.problem = error
            }
            report(error)
        }
    }

    func decoded(_ content: ObjectContent) throws(PersistenceError) -> Object? {
        do {
            return try coding.object(from: content)
        } catch {
            throw place.explained(error, .untransform)
        }
    }

    func note(_ event: Result<Int, PersistenceError>) {
        place.exclusively {
            switch event {
            case .success(let version):
                if state.withLock({ $0.ownVersions.remove(version) }) != nil { return }
                refresh()
            case .failure(let error):
                report(error)
                // Readers in this process may already share a value that couldn't be stored.
                let before = state.withLock { $0.version }
                refresh()
                if state.withLock({ $0.version }) == before { return }
            }
            let isUnderstood = state.withLock { $0.isDirty || $0.problem == nil }
            if isUnderstood { announceExternalChange() }
        }
    }

    private func announceExternalChange() {
        announce(.changedExternally)
        place.call([
            { [weak self] in
                guard let self, let delegate else { return }
                delegate.objectChangedExternally(self)
            }
        ])
    }
}
