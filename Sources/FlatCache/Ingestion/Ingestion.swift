import Synchronization

/// The scope of an ingest that collects the decoded entities until they are stored in one commit.
///
/// References find the scope of the current task by themselves. ``current`` returns it for code
/// that runs elsewhere, or that collects entities itself.
///
/// The scope ends when the closure of the ingest returns. It stores nothing that is decoded after
/// that, but counts it in its ``report-swift.property``.
public final class Ingestion: Sendable {
    /// The scope of the current task, also after its end.
    @TaskLocal static var innermost: Ingestion?
    /// The number of existing scopes that clients have received.
    ///
    /// While there is none, no decoder has a scope in its user information.
    private static let explicitCount = Atomic(0)

    let core: CacheCore
    let stamp: (any Comparable & Sendable)?
    /// The lease of the load whose answer the scope contains.
    let lease: Lease?
    /// `true` if a client has received the scope.
    private let isExplicit = Atomic(false)
    @usableFromInline let state: Locked<IngestionState>
    private let objectsFound = Atomic(false)
    let isEnded = Atomic(false)

    init(
        in core: CacheCore,
        _ stamp: (any Comparable & Sendable)?,
        under lease: Lease? = nil
    ) {
        self.core = core
        self.stamp = stamp
        self.lease = lease
        // A task that was started in a scope keeps that scope, even after its end.
        let enclosing = Self.innermost.flatMap { $0.hasEnded ? nil : $0 }
        state = Locked(IngestionState(in: enclosing))
    }

    deinit {
        if isExplicit.load(ordering: .relaxed) {
            Self.explicitCount.subtract(1, ordering: .relaxed)
        }
    }

    /// The scope of the innermost ingest or load whose closure the current task runs, or `nil` if
    /// there is none.
    ///
    /// `Task.detached` and the callbacks of dispatch queues don't belong to that task, so pass the
    /// scope to the decoder there:
    ///
    /// <!-- prelude: ingesting -->
    /// ```swift
    /// import Foundation
    ///
    /// let page = try await cache.ingest {
    ///     let ingestion = Ingestion.current
    ///     let task = Task.detached {
    ///         let decoder = JSONDecoder()
    ///         decoder.userInfo[.ingestion] = ingestion
    ///         return try decoder.decode(Page.self, from: data)
    ///     }
    ///     return try await task.value
    /// }
    /// ```
    ///
    /// ## Concurrency
    /// Any thread can use the scope until the closure of the ingest returns. After that, the scope
    /// stores nothing, and its report counts the late entities.
    public static var current: Ingestion? {
        guard let scope = innermost, !scope.hasEnded else { return nil }
        if !scope.isExplicit.exchange(true, ordering: .relaxed) {
            explicitCount.add(1, ordering: .relaxed)
        }
        return scope
    }

    /// The number of entities that the scope has stored, and of entities that came too late.
    public var report: Report { state.withLock(\.report) }

    /// Adds a value to store with the decoded entities.
    ///
    /// <!-- prelude: ingesting -->
    ///
    /// ```swift
    /// try cache.ingest {
    ///     // This response contains books without a reference around them.
    ///     let books = try decoder.decode([Book].self, from: data)
    ///     for book in books { Ingestion.current?.collect(book) }
    /// }
    /// ```
    ///
    /// References do this for the entities that are embedded in their place. Call it for values
    /// that you decode in another way.
    ///
    /// - Parameter value: The value to store.
    @inlinable
    public func collect<Value: Identifiable & Sendable>(_ value: Value) where Value.ID: Sendable {
        state.withLock { $0.collect(value, in: $0.buffer(of: Value.self)) }
    }

    /// Adds values to store with the decoded entities.
    ///
    /// <!-- prelude: ingesting -->
    ///
    /// ```swift
    /// try cache.ingest {
    ///     let books = try decoder.decode([Book].self, from: data)
    ///     Ingestion.current?.collect(contentsOf: books)
    /// }
    /// ```
    ///
    /// - Parameter values: The values to store, in this order.
    /// - Complexity: O(*n*) in the number of values.
    @inlinable
    public func collect<Value: Identifiable & Sendable>(contentsOf values: some Sequence<Value>)
    where Value.ID: Sendable {
        // A sequence may run any code, so its elements are copied before the lock is taken.
        let values = Array(values)
        state.withLock { $0.collect(contentsOf: values) }
    }
}

extension Ingestion {
    /// The numbers of entities that a scope has handled.
    public struct Report: Hashable, Sendable {
        /// The number of entities that the scope has stored, or handed over to the scope around it.
        ///
        /// It is zero until the scope has ended. An entity counts as often as it occurred. For
        /// example, an author that is embedded in three books counts three times.
        public internal(set) var storedCount = 0
        /// The number of entities that were decoded after the scope had ended, and weren't stored.
        ///
        /// For example, a detached task that outlives the closure can decode such entities.
        public internal(set) var lateCount = 0
    }
}

// MARK: Decoding

extension Ingestion {
    /// Returns the scope in which a decoder is used, or `nil` outside any scope.
    static func current(for decoder: any Decoder) -> Ingestion? {
        let current = innermost
        let userInfo = decoder.userInfo
        guard !userInfo.isEmpty, let ingestion = userInfo[.ingestion] as? Ingestion else {
            return current
        }
        // A decoder may be used again after the scope in its user information has ended.
        return ingestion.hasEnded ? current ?? ingestion : ingestion
    }

    /// `true` if the scope of a task is the only scope in which it can decode.
    ///
    /// A container doesn't show the user information of its decoder. While no client has a scope,
    /// the user information contains none.
    @usableFromInline static var areScopesImplicit: Bool {
        explicitCount.load(ordering: .relaxed) == 0
    }

    /// Calls a closure outside all scopes, and without a strategy for relations.
    static func withoutScope<Result>(_ body: () -> Result) -> Result {
        RelationStrategy.withoutStrategy {
            guard innermost != nil else { return body() }
            return $innermost.withValue(nil, operation: body)
        }
    }

    /// The scope of the current task, for the library's own decoding.
    @usableFromInline package static var currentOfTask: Ingestion? { innermost }

    /// `true` if a reference had another shape than an identifier.
    @usableFromInline var hasFoundObjects: Bool { objectsFound.load(ordering: .relaxed) }

    var hasEnded: Bool { isEnded.load(ordering: .relaxed) }

    func remember<Value>(_ shape: RelationShape, in buffer: EntityBuffer<Value>) {
        recordObjectShape()
        state.withLock { _ in buffer.shape = shape }
    }

    @usableFromInline
    func recordObjectShape() { objectsFound.store(true, ordering: .relaxed) }

    /// Collects an entity that a response contains beside its result.
    package func collect<Value: Identifiable & Sendable>(nested value: Value)
    where Value.ID: Sendable {
        state.withLock { $0.collect(value, in: $0.buffer(of: Value.self), isNested: true) }
    }

    /// Collects an entity that was embedded in the place of a reference.
    ///
    /// - Returns: The state of the references to the type after that.
    @inlinable
    func collect<Value>(
        _ value: Value,
        in buffer: EntityBuffer<Value>
    ) -> (IngestionState.Savepoint, isDecodableFromIdentifier: Bool?) {
        recordObjectShape()
        return state.withLock { state in
            state.collect(value, in: buffer, isNested: true)
            buffer.shape = .entity
            return (state.savepoint, buffer.isDecodableFromIdentifier)
        }
    }

    /// Creates the collection of a type, unless it exists.
    ///
    /// The collection calls functions that are specialized in the client if the client creates it.
    @inlinable
    func prepareCollection<Value: Identifiable & Sendable>(of type: Value.Type)
    where Value.ID: Sendable {
        state.withLock { _ = $0.buffer(of: type) }
    }

    @inlinable
    func shape<Value: Identifiable & Sendable>(of type: Value.Type) -> RelationShape
    where Value.ID: Sendable {
        state.withLock { $0.buffer(of: type).shape }
    }
}

extension CodingUserInfoKey {
    /// The key under which a decoder's user information contains an ``Ingestion``.
    public static let ingestion: CodingUserInfoKey = {
        guard let key = CodingUserInfoKey(rawValue: "FlatCache.ingestion") else {
            preconditionFailure("The key of the user information is invalid.")
        }
        return key
    }()
}
