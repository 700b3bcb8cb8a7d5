import FlatCache

extension PersistentObject {
    /// Stores the object, if it has unsaved changes.
    ///
    /// An object of a class, also inside of ``Archived``, may have been changed in place: it is encoded,
    /// and stored if its bytes differ from those of when it was loaded or saved.
    ///
    /// - Throws: ``PersistenceError`` if what is stored could not be read, or, where it can't be
    ///   understood, not be kept, or if the object could not be stored. It goes on to have unsaved
    ///   changes then.
    public func save() throws {
        try save(isDeliberate: true)
    }

    /// Exchanges the object with what is stored: takes in what others have stored, and saves
    /// unsaved changes.
    ///
    /// This is rarely needed, since it happens by itself.
    ///
    /// - Throws: ``PersistenceError``; see ``save()``.
    public func synchronize() throws {
        try place.synchronize()
        try place.exclusively { () throws(PersistenceError) in
            _ = try place.read()
            refresh()
            try save(isDeliberate: true)
        }
    }

    func save(isDeliberate: Bool) throws(PersistenceError) {
        try place.exclusively { () throws(PersistenceError) in
            guard !isResolving.withLock({ $0 }) else { return }
            let isDirty = state.withLock { $0.isDirty }
            let isDue = if isDirty { true } else { try noteChangeInPlace() }
            guard isDue else { return }
            try store(isDeliberate: isDeliberate)
        }
    }

    /// How many times a conflict is resolved anew because somebody has made another in the
    /// meantime.
    private static var attempts: Int { 8 }

    private func store(isDeliberate: Bool) throws(PersistenceError) {
        var external = try place.read()
        for attempt in 1...Self.attempts {
            switch try outcome(external, isDeliberate: isDeliberate) {
            case .discard:
                let object = try decoded(external)
                let fingerprint = fingerprint(of: object)
                let version = place.version.current
                change { state in
                    state.object = object
                    state.settle(external, fingerprint, version: version)
                }
                announce(.reverted)
                return
            case .store(let object):
                change { $0.object = object }
                let content = try encoded(object)
                let latest = try place.read()
                if latest == external || attempt == Self.attempts {
                    try write(content, over: latest)
                    return
                }
                // What has been merged is in memory.
                state.withLock { $0.base = external }
                external = latest
            }
        }
    }

    /// What is to become of the object and of what is stored.
    private func outcome(
        _ external: ObjectContent,
        isDeliberate: Bool
    ) throws(PersistenceError) -> ConflictRule.Outcome {
        let state = state.withLock { $0 }
        let isKnown = state.base == external && state.problem == nil
        // What could not be read before turns out to be nothing.
        let isNothing = state.base == nil && external == .absent
        if isKnown || isNothing { return .store(state.object) }
        let stored: Object?
        do throws(PersistenceError) {
            stored = try decoded(external)
        } catch {
            guard isDeliberate || state.replaces else { throw error }
            try place.keepCorrupt()
            return .store(state.object)
        }
        if state.replaces { return .store(state.object) }
        if try encoded(state.object) == external { return .store(state.object) }
        let base = state.base.flatMap { try? decoded($0) }
        isResolving.withLock { $0 = true }
        defer { isResolving.withLock { $0 = false } }
        return conflictRule.resolve(
            Conflict(unsaved: state.object, external: stored, base: base)
        )
    }

    func encoded(_ object: Object?) throws(PersistenceError) -> ObjectContent {
        do {
            return try coding.content(of: object)
        } catch {
            throw place.explained(error, .transform)
        }
    }

    private func write(
        _ content: ObjectContent,
        over external: ObjectContent
    ) throws(PersistenceError) {
        let before = place.version.current
        if content != external {
            if case .data(let data) = content {
                try place.write(data)
            } else {
                try place.write(nil)
            }
        }
        let after = place.version.current
        let isRemoved = content == .absent
        let defaultFingerprint = isRemoved ? fingerprint(of: defaultValue.evaluated ?? nil) : nil
        state.withLock { state in
            if before < after { state.ownVersions.formUnion(before + 1...after) }
            state.settle(content, content, version: after)
            // The default is read again: as it is now, it is not to be stored.
            if isRemoved { state.defaultFingerprint = defaultFingerprint }
        }
        announce(.saved)
    }
}

extension PersistentObject: AutoSaving {
    /// Stores unsaved changes, and has it reported if that is impossible.
    func saveAutomatically() {
        do throws(PersistenceError) {
            try save(isDeliberate: false)
        } catch {
            reportAtOnce(error)
        }
    }
}
