extension Cache {
    /// Stores the entities of an asynchronous sequence, in commits of limited size.
    ///
    /// Use this method for more entities than should be in memory at a time: the lines of a file, a
    /// long download, or an import.
    ///
    /// ```swift
    /// let lines = AsyncStream<String> { continuation in
    ///     for number in 1...3 { continuation.yield("\(number);Title \(number)") }
    ///     continuation.finish()
    /// }
    /// let count = try await cache.ingest(
    ///     contentsOf: lines.map { line in
    ///         let fields = line.split(separator: ";")
    ///         return Book(id: Int(fields[0]) ?? 0, title: String(fields[1]))
    ///     },
    ///     perCommit: 500
    /// ) { storedCount in
    ///     print("\(storedCount) books")
    /// }
    /// print(count)  // 3
    /// ```
    ///
    /// The cache takes as many entities from the sequence as belong to one commit, stores them, and
    /// only then takes the next ones. A source that produces entities on demand therefore never
    /// runs ahead of the cache by more than one commit. The last commit can be smaller.
    ///
    /// An element can be anything that an ingest can return: a ``CacheEntity``, an optional or a
    /// collection of entities, a ``Related``, or a value in which entities were embedded when the
    /// sequence decoded it. For example, each element can be a page of books with a property of
    /// type `[Related<Book>]`. Entities are stored in the order of the sequence.
    ///
    /// Each commit is complete by itself. If the sequence fails or the task is cancelled, the
    /// entities of the earlier commits remain in the cache, and the entities since the last commit
    /// aren't stored. Inside the closure of another ingest of the same cache, all entities belong
    /// to the commit of the outer ingest.
    ///
    /// ## Concurrency
    /// The method reads the sequence and calls `progress` on the actor of the caller. The closure
    /// runs outside all locks, after the commit, before the next entity is taken.
    ///
    /// - Parameters:
    ///   - elements: The sequence.
    ///   - commitSize: The number of elements per commit, at least one. A smaller number lets other
    ///     writers and observers in more often; a larger one costs less for each entity.
    ///   - stamp: The modification time of all entities: a date, a revision, or a sequence number.
    ///     See ``CacheType/set(_:modifiedAt:)``.
    ///   - isolation: The actor that the caller is isolated to.
    ///   - progress: A closure that receives the number of elements stored so far, after each
    ///     commit.
    /// - Returns: The number of elements of the sequence.
    /// - Throws: ``SequenceIngestionError`` if the sequence throws an error; `CancellationError` if
    ///   the task is cancelled.
    /// - Complexity: O(*n*) in the number of entities, in the memory of one commit.
    @discardableResult
    public func ingest<Elements: AsyncSequence, Stamp: Comparable & Sendable>(
        contentsOf elements: Elements,
        perCommit commitSize: Int = 500,
        modifiedAt stamp: Stamp? = Never?.none,
        isolation: isolated (any Actor)? = #isolation,
        progress: (_ storedCount: Int) -> Void = { _ in }
    ) async throws -> Int {
        Ingestion.checkEntities(of: Elements.Element.self)
        precondition(commitSize > 0, "A commit of \(commitSize) elements: use one or more.")
        var iterator = elements.makeAsyncIterator()
        var storedCount = 0
        var isAtEnd = false
        while !isAtEnd {
            try Task.checkCancellation()
            let ingestion = Ingestion(in: core, stamp)
            var count = 0
            try await ingestion.run(isolation: isolation) {
                while !isAtEnd, count < commitSize {
                    do {
                        if let element = try await iterator.next(isolation: isolation) {
                            ingestion.collectEntities(in: element)
                            count += 1
                        } else {
                            isAtEnd = true
                        }
                    } catch {
                        // A sequence may report the cancellation by its own error.
                        try Task.checkCancellation()
                        throw SequenceIngestionError(
                            elementType: Elements.Element.self,
                            position: storedCount + count,
                            storedCount: storedCount,
                            underlyingError: error
                        )
                    }
                }
                // A sequence may end early because the task is cancelled.
                try Task.checkCancellation()
            }
            ingestion.store()
            storedCount += count
            if count > 0 { progress(storedCount) }
        }
        return storedCount
    }
}

/// An error that reports an element of an asynchronous sequence that couldn't be read.
///
/// ```swift
/// let (stream, continuation) = AsyncThrowingStream.makeStream(of: Book.self)
/// continuation.finish(throwing: CancellationError())
/// do {
///     try await cache.ingest(contentsOf: stream)
/// } catch let error as SequenceIngestionError {
///     print("\(error.storedCount) books are stored; the next one: \(error.underlyingError)")
/// }
/// ```
///
/// `Cache.ingest(contentsOf:perCommit:modifiedAt:isolation:progress:)` throws it with the error
/// of the sequence. To continue after the elements that are stored, begin again with the element at
/// ``storedCount``.
public struct SequenceIngestionError: Error, Sendable {
    /// The name of the type of the elements.
    public let elementType: String
    /// The position of the element in the sequence, counted from zero.
    public let position: Int
    /// The number of elements in the commits before the error.
    ///
    /// These elements are stored.
    public let storedCount: Int
    /// The error that the sequence threw.
    public let underlyingError: any Error

    init(elementType: Any.Type, position: Int, storedCount: Int, underlyingError: any Error) {
        self.elementType = "\(elementType)"
        self.position = position
        self.storedCount = storedCount
        self.underlyingError = underlyingError
    }
}

extension SequenceIngestionError: CustomStringConvertible {
    /// A message that names the type, the position, and the error of the sequence.
    public var description: String {
        """
        The \(elementType) at position \(position) of a sequence could not be read, after \
        \(storedCount) had been stored: \(underlyingError)
        """
    }
}
