/// What a cache brings to a consumer that awaits it: values or changes, in commit order.
///
/// Each iterator observes for itself, from when it is made until it goes, its task is cancelled, or
/// the cache goes; then it ends. It doesn't keep the cache alive.
///
/// ```swift
/// let book = cache.cached(Book.self, id: 1)
/// Task {
///     for await value in book.values { print(value?.title ?? "not there") }
/// }
/// ```
///
/// ## Concurrency
/// A consumer gets its elements wherever it awaits them. The threads that commit put them into the
/// iterator's buffer and don't wait. Cancelling a consumer's task ends the observation and drops what
/// is in the buffer: at once if the task awaits an element, or else when it asks for the next. An
/// iterator may be used by one task at a time.
///
/// Making an iterator begins to observe, which waits for no other thread.
public struct CacheSequence<Element: Sendable>: AsyncSequence, Sendable {
    private let policy: BufferingPolicy
    private let observe: @Sendable (MailboxSender<FeedState<Element>>) -> Disposable

    package init(
        _ policy: BufferingPolicy,
        observe: @escaping @Sendable (MailboxSender<FeedState<Element>>) -> Disposable
    ) {
        self.policy = policy
        self.observe = observe
    }

    /// Makes an iterator, which begins to observe at once.
    public func makeAsyncIterator() -> Iterator {
        Iterator(MailboxReceiver(policy, observe: observe))
    }

    /// Takes elements from a buffer of its own.
    public struct Iterator: AsyncIteratorProtocol {
        private let receiver: MailboxReceiver<FeedState<Element>>

        init(_ receiver: MailboxReceiver<FeedState<Element>>) {
            self.receiver = receiver
        }

        /// Returns the next element, as soon as there is one, or `nil` when there will be none.
        ///
        /// - Parameter actor: The actor that the caller is isolated to.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async -> Element? {
            await receiver.next(isolation: actor)?.output
        }
    }
}
