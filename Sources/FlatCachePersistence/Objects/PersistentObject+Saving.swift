import FlatCache

extension PersistentObject {
    /// Stores the object if it has unsaved changes.
    ///
    /// ```swift
    /// let draft = PersistentObject<Order>(file: draftFile, defaultValue: Order())
    /// draft.update { $0?.note = "A gift" }
    /// do {
    ///     try draft.save()
    /// } catch {
    ///     print("The draft isn't saved yet: \(error)")
    /// }
    /// ```
    ///
    /// An instance of a class, including one inside ``Archived``, may have changed in place.
    /// Therefore this method encodes such an object, and stores it if its bytes differ from its
    /// bytes at the last load or save.
    ///
    /// - Throws: ``PersistenceError`` if the stored data can't be read, if no copy of corrupt data
    ///   can be kept, or if the object can't be encoded or stored. The changes are still unsaved
    ///   then.
    public func save() throws {
        try save(isDeliberate: true)
    }

    /// Loads the changes that others have stored, and saves unsaved changes.
    ///
    /// You rarely need to call this method, because the object loads external changes by itself.
    ///
    /// - Throws: ``PersistenceError`` if the repository can't synchronize, or for the reasons that
    ///   ``save()`` documents.
    public func synchronize() throws {
        try access.explaining(.read, synchronizeRepository)
        try access.exclusively { () throws(PersistenceError) in
            _ = try persister.reload()
            refresh()
            try save(isDeliberate: true)
        }
    }

    func save(isDeliberate: Bool) throws(PersistenceError) {
        try access.exclusively { () throws(PersistenceError) in
            guard !isResolving.withLock({ $0 }) else { return }
            let (isDirty, isNil) = memory.withLock { ($0.isDirty, $0.object == nil) }
            // The default may have changed in place after the object was set to `nil`.
            let isDue = if isDirty, !isNil { true } else { try recordChangeInPlace() || isDirty }
            guard isDue else { return }
            try store(isDeliberate: isDeliberate)
        }
    }

    /// The maximum number of attempts to resolve a conflict while other writers keep changing the
    /// stored object.
    private static var attempts: Int { 8 }

    private func store(isDeliberate: Bool) throws(PersistenceError) {
        var external = try persister.reload()
        for attempt in 1...Self.attempts {
            guard let resolved = try resolved(external, isDeliberate: isDeliberate) else {
                // Without a version, the next read checks whether the content is current.
                try replaceObject(with: external, 0)
                return announce(.reverted)
            }
            memory.change { $0.object = resolved.object }
            let latest = try persister.reload()
            if latest == external || attempt == Self.attempts {
                return try write(resolved.content, resolved.encoded, over: latest)
            }
            // The merge result is in memory, so its base is the content that it merged.
            memory.withLock { $0.base = external }
            external = latest
        }
    }

    /// Returns the object to store, its encoded form and the content to write, or `nil` to load the
    /// external object.
    private func resolved(
        _ external: ObjectContent,
        isDeliberate: Bool
    ) throws(PersistenceError) -> (
        object: Object?, encoded: ObjectContent, content: ObjectContent
    )? {
        let state = memory.withLock { $0 }
        let mine = try encoded(state.object)
        let unsaved = (state.object, mine, mine)
        let isKnown = state.base == external && state.problem == nil
        // No read had succeeded, and nothing is stored after all.
        let isNothing = state.base == nil && external == .absent
        if isKnown || isNothing { return unsaved }
        let stored: Object?
        do throws(PersistenceError) {
            stored = try decoded(external)
        } catch {
            guard isDeliberate || state.replaces else { throw error }
            try access.copyCorruptValue()
            return unsaved
        }
        if state.replaces || mine == external { return unsaved }
        guard let resolve = conflictRule.resolve else { return nil }
        // Before the call, since the rule may edit an instance of a class.
        let theirs = try? encoded(stored)
        let base = state.base.flatMap { try? decoded($0) }
        isResolving.withLock { $0 = true }
        defer { isResolving.withLock { $0 = false } }
        let object = resolve(Conflict(unsaved: state.object, external: stored, base: base))
        let result = try encoded(object)
        // Another encoder may have written the stored object, with more fields than this one has.
        return (object, result, result == theirs ? external : result)
    }

    func encoded(_ object: Object?) throws(PersistenceError) -> ObjectContent {
        try access.explaining(.transform) { try coding.content(of: object) }
    }

    private func write(
        _ content: ObjectContent,
        _ encoded: ObjectContent,
        over external: ObjectContent
    ) throws(PersistenceError) {
        // Not `latestVersion`: it reads the storage and could find a change of another writer.
        let before = persister.version.current
        // An unsaved value of another user of the key is equal, but not stored.
        if content != external || access.isUnsaved { try persister.persist(content) }
        let after = persister.version.current
        let fingerprint = encoded == .absent ? fingerprint(of: nil) : encoded
        recordStored(content, fingerprint, after) { state in
            if before < after { state.ownVersions.formUnion(before + 1...after) }
        }
        announce(.saved)
    }
}

extension PersistentObject: AutoSaving {
    /// Stores unsaved changes, and reports an error if that fails.
    func saveAutomatically() {
        do throws(PersistenceError) {
            try save(isDeliberate: false)
        } catch {
            report(error, atOnce: true)
        }
    }
}
