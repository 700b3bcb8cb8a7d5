/// A token for something that goes on for as long as the token lives, such as an observation.
///
/// Keep it for as long as you want to be called, alone or in a collection:
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
/// times, and after the cache has gone. None of this waits for a batch or for a callback.
public final class Disposable: Sendable {
    private struct Action {
        var onDispose: (@Sendable () -> Void)?
    }

    private let action: Guarded<Action>
    /// What each call of `dispose()` does first, so that it is done when any of them returns.
    private let stop: (@Sendable () -> Void)?

    /// Creates a token that calls a closure when it is disposed of.
    ///
    /// - Parameter onDispose: Called once, by the first `dispose()` or when the token is deallocated,
    ///   on that thread; released then.
    public init(_ onDispose: @escaping @Sendable () -> Void) {
        action = Guarded(Action(onDispose: onDispose))
        stop = nil
    }

    /// Creates a token for something that several threads may end at the same time.
    ///
    /// - Parameters:
    ///   - stop: Called by each `dispose()`, before anything else.
    ///   - onDispose: Called once.
    package init(
        stopping stop: @escaping @Sendable () -> Void,
        _ onDispose: @escaping @Sendable () -> Void
    ) {
        action = Guarded(Action(onDispose: onDispose))
        self.stop = stop
    }

    deinit { dispose() }

    /// Ends what the token stands for.
    ///
    /// Does nothing the second time.
    ///
    /// After this has returned, on whatever thread, no new call of an observer starts. One that
    /// another thread has started before may still be running, and may not even have come to the
    /// observer's first line: this does not wait for it.
    public func dispose() {
        stop?()
        let last = action.withLock { action in
            defer { action.onDispose = nil }
            return action
        }
        last.onDispose?()
    }

    /// Puts the token into a set, which keeps it alive.
    ///
    /// - Parameter tokens: The set.
    public func store(in tokens: inout Set<Disposable>) {
        tokens.insert(self)
    }

    /// Puts the token at the end of a collection, which keeps it alive.
    ///
    /// - Parameter tokens: The collection.
    public func store(in tokens: inout some RangeReplaceableCollection<Disposable>) {
        tokens.append(self)
    }
}

extension Disposable: Hashable {
    /// Returns whether two tokens are the same one.
    public static func == (left: Disposable, right: Disposable) -> Bool { left === right }

    /// Feeds the token's identity to a hasher.
    ///
    /// - Parameter hasher: The hasher to feed.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
