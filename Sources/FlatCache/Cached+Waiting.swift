extension Cached {
    /// Waits until the entity has a value that meets a condition, and returns that.
    ///
    /// ```swift
    /// let book = cache.cached(Book.self, id: 1)
    /// Task {
    ///     let available = try await book.first { $0.copies > 0 }
    ///     print("\(available.title) is back")
    /// }
    /// ```
    ///
    /// A value that is there already counts. No value that a commit has left is passed over, however
    /// soon the next one displaces it.
    ///
    /// ## Concurrency
    /// The condition is asked by the waiting task on the caller's actor, under no lock.
    ///
    /// - Parameters:
    ///   - actor: The actor that the caller is isolated to.
    ///   - following: How far the entity's relationships are followed: when something that it refers
    ///     to changes, the condition is asked again.
    ///   - condition: Whether a value is the one that is waited for.
    /// - Returns: The first value that meets the condition.
    /// - Throws: `CancellationError` if the task is cancelled; ``WaitingError/cacheHasGone(_:)`` if the
    ///   cache goes meanwhile, or has gone; what the condition throws.
    public func first(
        isolation actor: isolated (any Actor)? = #isolation,
        following: RelationshipDepth = .allRelationships,
        where condition: (Value) throws -> Bool
    ) async throws -> Value {
        let states = CacheSequence(.unbounded) { [feed = feed(following: following)] sender in
            feed.observe(.inline, sender.send)
        }
        for await case let value? in states where try condition(value) { return value }
        try Task.checkCancellation()
        throw WaitingError.cacheHasGone(key)
    }

    /// Waits until the entity has a value that meets a condition, for a limited time.
    ///
    /// See ``first(isolation:following:where:)``. A value that is there when the time is up still counts,
    /// so one that is there already does with any timeout.
    ///
    /// - Parameters:
    ///   - timeout: For how long at most.
    ///   - clock: The clock that measures the time.
    ///   - following: How far the entity's relationships are followed.
    ///   - condition: Whether a value is the one that is waited for. Asked by a task that is a child of
    ///     the waiting one, and by that one when the time is up.
    /// - Returns: The first value that meets the condition.
    /// - Throws: ``WaitingError/timedOut(_:after:)`` when the time is up, and as
    ///   ``first(isolation:following:where:)``.
    public func first(
        timeout: Duration,
        clock: some Clock<Duration> = ContinuousClock(),
        following: RelationshipDepth = .allRelationships,
        where condition: @escaping @Sendable (Value) throws -> Bool
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await self.first(following: following, where: condition) }
            group.addTask {
                // Clocks can't add times of centuries to their present.
                try await clock.sleep(for: min(max(timeout, .zero), .seconds(3_000_000_000)))
                return nil
            }
            defer { group.cancelAll() }
            // The group has two children, so the first result is not the end of it.
            if let value = try await group.next() ?? nil { return value }
            // The time may be up before the first child has had a look.
            if let value, try condition(value) { return value }
            throw WaitingError.timedOut(key, after: timeout)
        }
    }

    /// Waits until the entity has a value, for a limited time.
    ///
    /// ```swift
    /// let book = cache.cached(Book.self, id: 1)
    /// Task {
    ///     let title = try await book.value(timeout: .seconds(5)).title
    ///     print(title)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - timeout: For how long at most.
    ///   - clock: The clock that measures the time.
    /// - Returns: The value that is there, or else the first one to come.
    /// - Throws: ``WaitingError/timedOut(_:after:)`` when the time is up; `CancellationError` if the task
    ///   is cancelled; ``WaitingError/cacheHasGone(_:)`` if the cache goes meanwhile, or has gone.
    public func value(
        timeout: Duration,
        clock: some Clock<Duration> = ContinuousClock()
    ) async throws -> Value {
        try await first(timeout: timeout, clock: clock, following: .none) { _ in true }
    }
}
