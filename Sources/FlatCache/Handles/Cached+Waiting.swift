extension Cached {
    /// Waits until the entity has a value that meets a condition, and returns that value.
    ///
    /// ```swift
    /// let book = cache.cached(Book.self, id: 1)
    /// Task {
    ///     let available = try await book.first { $0.copies > 0 }
    ///     print("\(available.title) is back")
    /// }
    /// ```
    ///
    /// The current value counts. The method tests the value of every commit, however soon the next
    /// commit displaces it.
    ///
    /// ## Concurrency
    /// The waiting task evaluates the condition on the caller's actor, under no lock.
    ///
    /// - Parameters:
    ///   - actor: The actor that the caller is isolated to.
    ///   - following: The depth to which the observation follows the entity's relationships: a
    ///     change to a related entity evaluates the condition again.
    ///   - condition: A closure that returns whether a value meets the condition.
    /// - Returns: The first value that meets the condition.
    /// - Throws: `CancellationError` if the task is cancelled;
    ///   ``WaitingError/cacheDeallocated(_:)`` if the cache is deallocated; any error that the
    ///   condition throws.
    public func first(
        isolation actor: isolated (any Actor)? = #isolation,
        following: RelationshipDepth = .allRelationships,
        where condition: (Value) throws -> Bool
    ) async throws -> Value {
        let states = CacheSequence(.unbounded) {
            [source = stateSource(following: following)] sender in
            source.observe(.inline, sender.send)
        }
        for await case let value? in states where try condition(value) { return value }
        try Task.checkCancellation()
        throw WaitingError.cacheDeallocated(key)
    }

    /// Waits until the entity has a value that meets a condition, for a limited time.
    ///
    /// ```swift
    /// let whole = try await cache.cached(Book.self, id: 1).first(timeout: .seconds(5)) {
    ///     $0.year != nil
    /// }
    /// ```
    ///
    /// See ``first(isolation:following:where:)``. The current value is also tested when the time is
    /// up, so a value that meets the condition is returned with any timeout.
    ///
    /// - Parameters:
    ///   - timeout: The maximum time to wait.
    ///   - clock: The clock that measures the time.
    ///   - following: The depth to which the observation follows the entity's relationships.
    ///   - condition: A closure that returns whether a value meets the condition. A child of the
    ///     waiting task calls it, and the waiting task itself calls it when the time is up.
    /// - Returns: The first value that meets the condition.
    /// - Throws: ``WaitingError/timedOut(_:after:)`` when the time is up, and the errors of
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
                // Clocks overflow if the deadline is centuries away.
                try await clock.sleep(for: min(max(timeout, .zero), .seconds(3_000_000_000)))
                return nil
            }
            defer { group.cancelAll() }
            // The group has two children, so `next()` doesn't return the `nil` of an empty group
            // here.
            if let value = try await group.next() ?? nil { return value }
            // The timeout may end before the first child has read the value.
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
    ///   - timeout: The maximum time to wait.
    ///   - clock: The clock that measures the time.
    /// - Returns: The current value, or else the first one to be stored.
    /// - Throws: ``WaitingError/timedOut(_:after:)`` when the time is up; `CancellationError` if
    ///   the task is cancelled; ``WaitingError/cacheDeallocated(_:)`` if the cache is deallocated.
    public func value(
        timeout: Duration,
        clock: some Clock<Duration> = ContinuousClock()
    ) async throws -> Value {
        try await first(timeout: timeout, clock: clock, following: .none) { _ in true }
    }
}

/// An error that ends the wait for an entity.
///
/// ```swift
/// do {
///     let book = try await cache.cached(Book.self, id: 1).value(timeout: .seconds(5))
///     print(book.title)
/// } catch WaitingError.timedOut(let key, let timeout) {
///     print("\(key) didn't arrive within \(timeout).")
/// }
/// ```
public enum WaitingError: Error, Hashable, Sendable {
    /// The timeout ended before the awaited value was stored.
    case timedOut(CacheKey, after: Duration)
    /// The cache was deallocated before the awaited value was stored.
    case cacheDeallocated(CacheKey)
}

extension WaitingError: CustomStringConvertible {
    /// A message that names the error's cause and the entity's key.
    public var description: String {
        switch self {
        case .timedOut(let key, let timeout):
            "The wait for \(key) timed out after \(timeout)."
        case .cacheDeallocated(let key):
            "The cache was deallocated while a task waited for \(key)."
        }
    }
}
