/// An asynchronous sequence of values or changes, in commit order.
///
/// Each iterator has an observation of its own, which begins when the iterator is created. The
/// observation ends when the iterator is deallocated, its task is cancelled, or the cache is
/// deallocated; the iterator then ends as well. Neither a sequence nor an iterator keeps the cache
/// alive.
///
/// ```swift
/// let book = cache.cached(Book.self, id: 1)
/// Task {
///     for await value in book.values { print(value?.title ?? "not there") }
/// }
/// ```
///
/// ## Concurrency
/// A consumer receives its elements wherever it awaits them. Committing threads add elements to the
/// iterator's buffer and don't wait for the consumer. Cancelling the consumer's task ends the
/// observation and discards the buffer: at once if the task is awaiting an element, otherwise when
/// it asks for the next one. Only one task at a time may use an iterator.
///
/// Creating an iterator begins an observation, which waits for no other thread.
public struct CacheSequence<Element: Sendable>: AsyncSequence, Sendable {
    private let policy: BufferingPolicy
    private let observe: @Sendable (MailboxSender<StateSourceState<Element>>) -> Disposable

    package init(
        _ policy: BufferingPolicy,
        observe: @escaping @Sendable (MailboxSender<StateSourceState<Element>>) -> Disposable
    ) {
        self.policy = policy
        self.observe = observe
    }

    /// Creates an iterator, whose observation begins at once.
    public func makeAsyncIterator() -> Iterator {
        Iterator(MailboxReceiver(policy, observe: observe))
    }

    /// An iterator that takes its elements from a buffer of its own.
    public struct Iterator: AsyncIteratorProtocol {
        private let receiver: MailboxReceiver<StateSourceState<Element>>

        init(_ receiver: MailboxReceiver<StateSourceState<Element>>) {
            self.receiver = receiver
        }

        /// Returns the next element as soon as there is one, or `nil` when the sequence has ended.
        ///
        /// - Parameter actor: The actor to which the caller is isolated.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async -> Element? {
            await receiver.next(isolation: actor)?.output
        }
    }
}
