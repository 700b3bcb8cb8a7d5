import FlatCache

extension Persister {
    /// Stores a value.
    ///
    /// ```swift
    /// let theme = Persister(key: "theme", defaultValue: "light")
    /// try theme.persist("dark")
    /// print(UserDefaults.standard.string(forKey: "theme") ?? "")  // dark
    /// ```
    ///
    /// If the persister was created for optional values, storing `nil` removes the stored value, so
    /// that reads return the default.
    ///
    /// - Parameter value: The value.
    /// - Throws: ``PersistenceError`` if the value could not be stored; reads return the previous
    ///   value then.
    public func persist(_ value: Value) throws(PersistenceError) {
        try access.store(value)
    }

    /// Removes the value, so that reads return the default.
    ///
    /// ```swift
    /// try settings.$theme.persist("dark")
    /// try settings.$theme.removeValue()
    /// print(settings.theme)  // light, the default
    /// ```
    ///
    /// - Throws: ``PersistenceError`` if the value could not be removed.
    public func removeValue() throws(PersistenceError) {
        try access.remove()
    }

    /// Changes the value in place.
    ///
    /// ```swift
    /// try settings.$draft.update { $0.books.append(book) }
    /// ```
    ///
    /// No other write of this process happens between the read and the write. If the storage isn't
    /// a ``ChannelledStorage``, this applies only to writes through this persister.
    ///
    /// ## Concurrency
    /// The closure is called once, on this thread, while the key is locked. It may use this value,
    /// but the final value of its argument overwrites any value that the closure has stored itself.
    /// It must not wait for another thread that writes under the same key, so two updates must not
    /// write each other's keys. After the update ends, the listeners are called, including those of
    /// other keys that the closure writes.
    ///
    /// - Parameter body: A closure that changes the value.
    /// - Returns: The result of the closure.
    /// - Throws: An error of the closure, or ``PersistenceError`` if the value can't be read,
    ///   decoded or stored; the update stores no value then.
    @discardableResult
    public func update<Result>(_ body: (inout Value) throws -> Result) throws -> Result {
        while true {
            // Before the key is locked, because other threads that use the key would wait as well.
            try access.waitForOthers()
            // The default is evaluated before the key is locked, because its closure is a user's
            // and may use the key.
            try access.refresh()
            if case .absent = try access.load().content { _ = defaultValue() }
            let result: Result? = try access.exclusively {
                guard var value = try current() else { return nil }
                let result = try body(&value)
                try access.store(value)
                return result
            }
            if let result { return result }
        }
    }

    /// Returns the stored value, or the default; `nil` if the default hasn't been evaluated.
    private func current() throws -> Value? {
        try access.refresh()
        return try value(of: access.load().content) ?? defaultValue.evaluated
    }

    /// Returns a stored value, or `nil` if there is none.
    ///
    /// - Throws: ``PersistenceError`` if the value is corrupt.
    func value(
        of content: PersistedContent<Value>
    ) throws(PersistenceError) -> Value? {
        switch content {
        case .value(let value): value
        case .absent: nil
        case .corrupt(let error): throw error
        }
    }

    /// Stores a value.
    ///
    /// Reads return the value even if it can't be stored, unless it has no stored form.
    @usableFromInline
    func assign(_ value: Value) {
        // A stored value that this persister hasn't read yet may be corrupt as well.
        let isLatest = isAnnounced || isCurrent?() == true
        let mayBeCorrupt = rememberedValue.withLock { [version] remembered in
            !isLatest || remembered.version != version.current
                || remembered.error?.operation == .untransform
        }
        do throws(PersistenceError) {
            try access.storeOrSetUnsaved(value, mayBeCorrupt: mayBeCorrupt)
            errors.clear()
        } catch {
            // Reported on each call, unlike a read error: each failure concerns another value.
            handle(error)
        }
    }

    /// Changes the value in place, while no other process does.
    ///
    /// ```swift
    /// let visits = Persister(key: "visits", defaultValue: 0)
    /// try await visits.updateShared { $0 += 1 }
    /// ```
    ///
    /// The update begins with the newest value of the storage. All calls of this method for one
    /// file or one suite of user defaults exclude each other, in all processes and for all
    /// persisters, and they exclude the other writes of this process. Other writes of user defaults
    /// by this module wait, in all processes. But another process can write a *file* meanwhile with
    /// ``persist(_:)`` or ``update(_:)``, and one of the two values is then lost. So use this
    /// method for every update of a file that processes share.
    ///
    /// The processes lock the folder of the file or of the defaults, so updates of files in one
    /// folder wait for each other. The lock ends with its process. If a network file system doesn't
    /// support `flock`, the lock doesn't exclude other machines. An ``InMemoryStorage`` needs no
    /// lock. Other storages throw an error.
    ///
    /// ## Concurrency
    /// The task is suspended while another process holds the lock. The closure is called once, on
    /// the actor of the caller, while the key is locked; see ``update(_:)``.
    ///
    /// - Parameters:
    ///   - timeout: The maximum time to wait for other processes.
    ///   - isolation: The actor of the caller.
    ///   - body: A closure that changes the value.
    /// - Returns: The result of the closure.
    /// - Throws: An error of the closure, `CancellationError`, or ``PersistenceError`` if the value
    ///   can't be read, decoded or stored, or if another process holds the lock for longer than
    ///   `timeout`. The stored value is then unchanged.
    @discardableResult
    public func updateShared<Result>(
        timeout: Duration = .seconds(10),
        isolation: isolated (any Actor)? = #isolation,
        _ body: (inout Value) throws -> Result
    ) async throws -> Result {
        while true {
            let result: Result?? = try await access.excludingOtherProcesses(
                timeout: timeout,
                isolation: isolation
            ) {
                try access.exclusively {
                    let stored = try value(of: access.reload())
                    guard var value = stored ?? defaultValue.evaluated else { return nil }
                    let result = try body(&value)
                    try access.store(value, atOnce: true)
                    return .some(result)
                }
            }
            if case .some(.some(let result)) = result { return result }
            // While no key is locked, because the closure is a user's and may use the key.
            _ = defaultValue()
        }
    }
}
