/// A token that keeps an activity, such as an observation, alive for as long as the token lives.
///
/// Keep the token for as long as you want to be notified, by itself or in a collection:
///
/// ```swift
/// final class BookScreen {
///     private var observations: Set<Disposable> = []
///
///     init(book: Cached<Book>) {
///         book.observe { print($0.title) }.store(in: &observations)
///     }
/// }
/// ```
///
/// ## Concurrency
/// A token may be disposed of on any thread, from inside the callback that it stands for, several
/// times, and after the cache has been deallocated. None of this waits for a batch or for a
/// callback.
public final class Disposable: Sendable {
    private struct Action {
        var onDispose: (@Sendable () -> Void)?
    }

    private let action: Locked<Action>
    /// A closure that each call of `dispose()` runs first, so that its effect is complete when any
    /// of the calls returns.
    private let stop: (@Sendable () -> Void)?

    /// Creates a token that calls a closure when it's disposed of.
    ///
    /// ```swift
    /// let token = Disposable { print("The observation has ended.") }
    /// token.dispose()
    /// ```
    ///
    /// - Parameter onDispose: A closure that runs once, at the first `dispose()` or when the token
    ///   is deallocated, on the thread that does so. The token then releases it.
    public init(_ onDispose: @escaping @Sendable () -> Void) {
        action = Locked(Action(onDispose: onDispose))
        stop = nil
    }

    /// Creates a token for an activity that several threads may end at the same time.
    ///
    /// - Parameters:
    ///   - stop: A closure that each call of `dispose()` runs first.
    ///   - onDispose: A closure that runs once.
    @usableFromInline
    package init(
        stopping stop: @escaping @Sendable () -> Void,
        _ onDispose: @escaping @Sendable () -> Void
    ) {
        action = Locked(Action(onDispose: onDispose))
        self.stop = stop
    }

    deinit { dispose() }

    /// Ends the activity that the token stands for.
    ///
    /// ```swift
    /// let observation = cache.cached(Book.self, id: 1).observe { print($0.title) }
    /// observation.dispose()
    /// cache.update(Book.self, id: 1) { $0.title = "Tehanu" }  // prints nothing
    /// ```
    ///
    /// Further calls have no effect.
    ///
    /// After this method has returned, no new call of an observer starts on any thread. A call that
    /// another thread started earlier may still be running, or may not even have reached the
    /// observer's first line: this method doesn't wait for it.
    public func dispose() {
        stop?()
        let last = action.withLock { action in
            defer { action.onDispose = nil }
            return action
        }
        last.onDispose?()
    }

    /// Adds the token to a set that keeps it alive.
    ///
    /// ```swift
    /// var tokens: Set<Disposable> = []
    /// cache.cached(Book.self, id: 1).observe { print($0.title) }.store(in: &tokens)
    /// tokens.removeAll()  // ends the observation
    /// ```
    ///
    /// - Parameter tokens: The set.
    public func store(in tokens: inout Set<Disposable>) {
        tokens.insert(self)
    }

    /// Appends the token to a collection that keeps it alive.
    ///
    /// ```swift
    /// var tokens: [Disposable] = []
    /// cache.cached(Book.self, id: 1).observe { print($0.title) }.store(in: &tokens)
    /// ```
    ///
    /// - Parameter tokens: The collection.
    public func store(in tokens: inout some RangeReplaceableCollection<Disposable>) {
        tokens.append(self)
    }
}

extension Disposable: Hashable {
    /// Returns a Boolean value that indicates whether two tokens are identical.
    public static func == (left: Disposable, right: Disposable) -> Bool { left === right }

    /// Feeds the token's identity to a hasher.
    ///
    /// - Parameter hasher: The hasher to feed.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
