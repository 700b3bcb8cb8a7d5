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
}
