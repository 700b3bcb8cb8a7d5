import Synchronization

/// The rules for relations of a response that are malformed or null.
///
/// Without a strategy, one malformed reference fails the whole response, and a null erases a known
/// link. A server that answers with partial errors, as GraphQL does with `data` and `errors`, sends
/// both in place of the entities that it couldn't load. Wrap the call that decodes:
///
/// <!-- prelude: ingesting -->
/// ```swift
/// let partial = RelationStrategy(dropsMalformed: true, nullIsUnknown: true) { problem in
///     print(problem)  // items[0].author: Related<Author>: …
/// }
/// let page = try cache.ingest {
///     try partial.decode { try decoder.decode(Page.self, from: data) }
/// }
/// ```
///
/// The strategy applies to the properties of the models that are decoded in the closure, at any
/// depth, whose types are a ``Related``, a ``PolymorphicRelation`` or another ``CachedReference``:
///
/// | property | malformed | null |
/// | --- | --- | --- |
/// | ``Known`` | ``Known/unknown`` | ``Known/unknown`` |
/// | optional | `nil` | `nil`, as without a strategy |
/// | array, set or dictionary | the malformed elements are dropped | an error |
/// | any other | an error | an error |
///
/// A null element of a collection is malformed. A collection inside another one is an element of
/// it, so a malformed reference in `[[Related<Book>]]` drops the inner array.
///
/// An error in one of the last two rows makes the entity malformed that has the property. If this
/// entity is embedded in another one at an optional, at a `Known` property or in a collection, it's
/// dropped there, and nothing of it is stored. Otherwise, decoding throws the error.
///
/// A merge decides whether such a property erases a link in the cache. Make the type ``Mergeable``,
/// and take the newer value of a `Known` property only if it's known, and that of an optional only
/// if it isn't `nil`.
///
/// ``ValidElements`` drops and lists malformed elements with any strategy.
public struct RelationStrategy: Sendable {
    @TaskLocal private static var ofTask: RelationStrategy?
    /// The number of running calls of ``decode(_:)``.
    ///
    /// While there is none, decoding needs no look at the task-local value.
    private static let activeCount = Atomic(0)

    private let dropsMalformed: Bool
    private let nullIsUnknown: Bool
    private let reportProblem: @Sendable (Problem) -> Void

    /// Creates a strategy.
    ///
    /// ## Concurrency
    /// `report` is called on the thread that decodes, before ``decode(_:)`` returns. No lock is
    /// held then, except in a batch. The closure is also called for relations of an entity that is
    /// dropped itself.
    ///
    /// - Parameters:
    ///   - dropsMalformed: A Boolean value that indicates whether malformed references are dropped
    ///     where the model allows it. If it's `false`, they are errors.
    ///   - nullIsUnknown: A Boolean value that indicates whether null decodes to ``Known/unknown``.
    ///     If it's `false`, null decodes to ``Known/null``.
    ///   - report: A closure that receives each reference that is dropped, and each null that is
    ///     unknown.
    public init(
        dropsMalformed: Bool,
        nullIsUnknown: Bool,
        report: @escaping @Sendable (Problem) -> Void
    ) {
        self.dropsMalformed = dropsMalformed
        self.nullIsUnknown = nullIsUnknown
        reportProblem = report
    }

    /// Decodes a response by the strategy.
    ///
    /// The call can be inside the closure of an ingest or around an ingest, and works in any task
    /// or thread. If strategies are nested, the innermost one applies.
    ///
    /// - Parameter body: A closure that decodes the response, on the calling thread.
    /// - Returns: The closure's result.
    /// - Throws: Any error that the closure throws.
    @discardableResult
    public func decode<Result>(_ body: () throws -> Result) rethrows -> Result {
        Self.activeCount.add(1, ordering: .relaxed)
        defer { Self.activeCount.subtract(1, ordering: .relaxed) }
        return try Self.$ofTask.withValue(self, operation: body)
    }
}

extension RelationStrategy {
    /// A reference that was dropped, or that is null.
    public struct Problem: Sendable, CustomStringConvertible {
        /// The path of the reference in the document.
        public let codingPath: [any CodingKey]
        /// The error of the attempt to decode the reference, or `nil` if it is null.
        public let error: (any Error)?

        /// The path and the error, such as `items[1].author: Related<Author>: …`.
        public var description: String {
            let reason = (error as? DecodingError)?.context?.debugDescription
            return "\(codingPath.path): \(reason ?? error.map { "\($0)" } ?? "null")"
        }
    }
}

// MARK: Decoding

extension RelationStrategy {
    /// The strategy of the running call of ``decode(_:)``.
    @usableFromInline static var current: RelationStrategy? {
        activeCount.load(ordering: .relaxed) == 0 ? nil : ofTask
    }

    /// The strategy of the running call of ``decode(_:)``, if it drops malformed references.
    @usableFromInline static var dropping: RelationStrategy? {
        current.flatMap { $0.dropsMalformed ? $0 : nil }
    }

    static func withoutStrategy<Result>(_ body: () -> Result) -> Result {
        guard current != nil else { return body() }
        return $ofTask.withValue(nil, operation: body)
    }

    /// Returns whether a null is unknown, and reports it in that case.
    @usableFromInline
    func isUnknown(nullAt codingPath: [any CodingKey]) -> Bool {
        if nullIsUnknown { report(nil, at: codingPath) }
        return nullIsUnknown
    }

    /// Reports a reference that is dropped, or a null that is unknown.
    func report(_ error: (any Error)?, at codingPath: [any CodingKey]) {
        reportProblem(Problem(codingPath: codingPath, error: error))
    }

    /// Decodes a reference, or returns `nil` if it is malformed and can be dropped.
    @usableFromInline
    func valid<Reference>(
        at codingPath: [any CodingKey],
        in ingestion: Ingestion? = Ingestion.currentOfTask,
        _ decode: () throws -> Reference
    ) throws -> Reference? {
        guard dropsMalformed else { return try decode() }
        let savepoint = ingestion?.state.withLock { $0.savepoint }
        do {
            return try decode()
        } catch {
            if let ingestion, let savepoint {
                _ = ingestion.state.withLock { $0.rollBack(to: savepoint) }
            }
            report(error, at: codingPath)
            return nil
        }
    }
}
