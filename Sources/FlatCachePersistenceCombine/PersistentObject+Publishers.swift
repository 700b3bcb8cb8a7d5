#if canImport(Combine) || OpenCombine

import FlatCache
public import FlatCacheCombine
public import FlatCachePersistence

extension PersistentObject {
    /// A publisher of the object, now and after each change by any writer.
    ///
    /// ```swift
    /// let draft = PersistentObject<Order>(file: draftFile, defaultValue: Order())
    /// let subscription = draft.publisher.sink { print($0?.books.count ?? 0, "books") }
    /// draft.update { $0?.books.append(book) }  // prints "1 books"
    /// ```
    ///
    /// A subscriber that is slower than the changes receives the newest object without the
    /// intermediate ones.
    ///
    /// ## Concurrency
    /// The publisher makes the calls of one subscriber one at a time and under no lock. For the
    /// threads of these calls, see `CachedPublisher`: a change of the object corresponds to a
    /// commit of a cache. The publisher neither finishes nor fails. A subscription keeps the
    /// persistent object alive.
    public var publisher: CachedPublisher<Object?> { CachedPublisher(stateSource) }

    /// A publisher of each future change of the object, and of each error that no caller could
    /// receive.
    ///
    /// Updates that a subscriber hasn't demanded yet are kept in memory, without limit.
    ///
    /// ## Concurrency
    /// See ``publisher``.
    public var updatesPublisher: CachedPublisher<Result<Update, any Error>> {
        CachedPublisher(updateSource, buffering: .unbounded)
    }
}

#endif
