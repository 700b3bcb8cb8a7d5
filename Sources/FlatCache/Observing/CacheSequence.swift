/// An asynchronous sequence of values or changes, in commit order.
///
/// Each iterator has its own observation. It begins when the iterator is created. The observation
/// ends when the iterator is deallocated, its task is cancelled, or the cache is deallocated; the
/// iterator then ends as well. Neither a sequence nor an iterator keeps the cache alive.
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
/// Creating an iterator begins an observation. It waits for no other thread.
public struct CacheSequence<Element: Sendable>: AsyncSequence, Sendable {
    private let policy: BufferingPolicy
    private let observe: @Sendable (MailboxSender<StateNotification<Element>>) -> Disposable

    package init(
        _ policy: BufferingPolicy,
        observe: @escaping @Sendable (MailboxSender<StateNotification<Element>>) -> Disposable
    ) {
        self.policy = policy
        self.observe = observe
    }

    /// Creates an iterator, whose observation begins at once.
    public func makeAsyncIterator() -> Iterator {
        Iterator(MailboxReceiver(policy, observe: observe))
    }

    /// An iterator that takes its elements from its own buffer.
    public struct Iterator: AsyncIteratorProtocol {
        private let receiver: MailboxReceiver<StateNotification<Element>>

        init(_ receiver: MailboxReceiver<StateNotification<Element>>) {
            self.receiver = receiver
        }

        /// Returns the next element as soon as there is one, or `nil` when the sequence has ended.
        ///
        /// - Parameter actor: The actor to which the caller is isolated.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async -> Element? {
            await receiver.next(isolation: actor)?.state
        }
    }
}

/// A policy for the buffer of a sequence whose consumer is slower than the commits.
///
/// ```swift
/// // A slow consumer skips old changes instead of falling behind.
/// for await change in cache.cached(Book.self, id: 1).changes(buffering: .newest(10)) {
///     print(change.version, change.kind)
/// }
/// ```
public enum BufferingPolicy: Hashable, Sendable {
    /// Keeps all elements, without limit.
    case unbounded
    /// Keeps at most this many elements. A new element replaces the oldest one.
    ///
    /// A number less than one is a programmer error and traps.
    ///
    /// For example, `.newest(1)` keeps only the latest element for a slow consumer.
    case newest(Int)
    /// Keeps at most this many elements. A new element is dropped if the buffer is full.
    ///
    /// A number less than one is a programmer error and traps.
    case oldest(Int)

    /// The maximum number of buffered elements.
    var limit: Int {
        switch self {
        case .unbounded: .max
        case .newest(let limit), .oldest(let limit): limit
        }
    }
}
