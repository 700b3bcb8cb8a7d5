extension CacheSource {
    /// Waits until the state meets a condition, and returns it.
    ///
    /// ```swift
    /// let book = cache.cached(Book.self, id: 1)
    /// Task {
    ///     let available = try await book.first { $0.copies > 0 }
    ///     print("\(available.title) is back")
    /// }
    /// ```
    ///
    /// The current state counts. For an entity, the method tests the value of every commit, however
    /// soon the next commit displaces it. For other sources, it tests the latest state after each
    /// commit.
    ///
    /// ## Concurrency
    /// The waiting task evaluates the condition on the caller's actor, under no lock.
    ///
    /// - Parameters:
    ///   - actor: The actor that the caller is isolated to.
    ///   - condition: A closure that returns whether a state meets the condition.
    /// - Returns: The first state that meets the condition.
    /// - Throws: `CancellationError` if the task is cancelled;
    ///   ``WaitingError/cacheDeallocated(_:)`` if the cache is deallocated; any error that the
    ///   condition throws.
    public func first(
        isolation actor: isolated (any Actor)? = #isolation,
        where condition: (Present) throws -> Bool
    ) async throws -> Present {
        let states = CacheSequence(.unbounded) { [self] sender in
            _observe(initial: true, delivery: .inline, sender.send)
        }
        for await state in states {
            if let present = Self.present(state), try condition(present) { return present }
        }
        try Task.checkCancellation()
        throw WaitingError.cacheDeallocated("\(self)")
    }

    /// Waits until the state meets a condition, for a limited time.
    ///
    /// ```swift
    /// let whole = try await cache.cached(Book.self, id: 1).first(timeout: .seconds(5)) {
    ///     $0.year != nil
    /// }
    /// ```
    ///
    /// Without a condition, the method returns the value of an entity as soon as there is one. The
    /// current state is also tested when the time is up, so a state that meets the condition is
    /// returned with any timeout. If the condition concerns an entity alone, a wait for
    /// `book.following(.none)` costs less: see ``Cached/following(_:)``.
    ///
    /// See ``first(isolation:where:)``.
    ///
    /// - Parameters:
    ///   - timeout: The maximum time to wait.
    ///   - clock: The clock that measures the time.
    ///   - condition: A closure that returns whether a state meets the condition. A child of the
    ///     waiting task calls it, and the waiting task itself calls it when the time is up.
    /// - Returns: The first state that meets the condition.
    /// - Throws: ``WaitingError/timedOut(_:after:)`` when the time is up, and the errors of
    ///   ``first(isolation:where:)``.
    public func first(
        timeout: Duration,
        clock: some Clock<Duration> = ContinuousClock(),
        where condition: @escaping @Sendable (Present) throws -> Bool = { _ in true }
    ) async throws -> Present {
        try await withThrowingTaskGroup(of: Present?.self) { group in
            group.addTask { try await self.first(where: condition) }
            group.addTask {
                // Clocks overflow if the deadline is centuries away.
                try await clock.sleep(for: min(max(timeout, .zero), .seconds(3_000_000_000)))
                return nil
            }
            defer { group.cancelAll() }
            // The group has two children, so `next()` doesn't return the `nil` of an empty group
            // here.
            if let present = try await group.next() ?? nil { return present }
            // The timeout may end before the first child has read the state.
            if let present = Self.present(state), try condition(present) { return present }
            throw WaitingError.timedOut("\(self)", after: timeout)
        }
    }
}

/// An error that ends the wait for a state.
///
/// ```swift
/// do {
///     let book = try await cache.cached(Book.self, id: 1).first(timeout: .seconds(5))
///     print(book.title)
/// } catch WaitingError.timedOut(let source, let timeout) {
///     print("\(source) didn't arrive within \(timeout).")
/// }
/// ```
public enum WaitingError: Error, Hashable, Sendable {
    /// The timeout ended before the awaited state was stored. The first value describes the source,
    /// such as `Cached Book(1)`.
    case timedOut(String, after: Duration)
    /// The cache was deallocated before the awaited state was stored. The value describes the
    /// source.
    case cacheDeallocated(String)
}

extension WaitingError: CustomStringConvertible {
    /// A message that names the error's cause and the source.
    public var description: String {
        switch self {
        case .timedOut(let source, let timeout):
            "The wait for \(source) timed out after \(timeout)."
        case .cacheDeallocated(let source):
            "The cache was deallocated while a task waited for \(source)."
        }
    }
}
