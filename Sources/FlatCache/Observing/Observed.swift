public import Observation

/// A source for the Observation framework: for SwiftUI views and `withObservationTracking`.
///
/// ```swift
/// import FlatCache
/// import Observation
///
/// let book = cache.cached(Book.self, id: 1).observable
/// withObservationTracking {
///     print(book.value?.title ?? "not there")
/// } onChange: {
///     print("no longer")
/// }
/// ```
///
/// The object has the properties of its source: `value` of a handle, `elements` of a list or a
/// query. To call a method of the source, use ``read(_:)``. A tracker that reads the state is
/// notified once, by the next commit that changes it. The notification follows the commit, so that
/// another read shows its result.
///
/// The object observes the source for as long as it exists, keeps a query current, and retains
/// neither the state nor the cache. Keep it in a view's `@State` or in a model: after it is
/// deallocated, its trackers are no longer notified.
///
/// ## Concurrency
/// You can use the object on any thread. Trackers are notified on the main actor, unless you pass
/// another delivery. The Observation framework registers a tracker only when its tracked read ends,
/// so a notification on another thread during that read is lost. Therefore deliver the
/// notifications on the actor that reads. Then no change between two reads is lost: either the
/// first read has shown it, or the tracker is notified after it.
///
/// A service that reads on its own actor passes that actor:
///
/// ```swift
/// actor Titles {
///     private var book: Observed<Cached<Book>>?
///
///     func show(_ book: Cached<Book>) {
///         self.book = Observed(book, delivery: .isolated(to: self))
///     }
/// }
/// ```
@dynamicMemberLookup
public final class Observed<Source: CacheSource>: Observable, Sendable {
    /// The source that the object reads and observes.
    public let source: Source

    @usableFromInline let delivery: CacheDelivery
    @usableFromInline let loads: LoadTracking
    /// The trackers of reads.
    ///
    /// A read registers its access first, so that a commit in between notifies the tracker too.
    @usableFromInline let trackers: Trackers
    @usableFromInline let observation: Disposable

    /// Creates an observable object for a source.
    ///
    /// - Parameters:
    ///   - source: The source.
    ///   - delivery: The delivery that decides where and when trackers are notified. To miss no
    ///     change, use the actor that reads.
    @inlinable
    public init(
        _ source: Source,
        delivery: CacheDelivery = .isolated(to: MainActor.shared)
    ) {
        // The observation must not retain the object. It doesn't compute the state either, so
        // nothing is computed before a tracker reads it.
        let trackers = Trackers()
        self.source = source
        self.delivery = delivery
        self.trackers = trackers
        loads = LoadTracking()
        observation = source._observe(initial: false, delivery: delivery) { _ in
            trackers.notify()
        }
    }

    /// A property of the source.
    @inlinable
    public subscript<Member>(dynamicMember keyPath: KeyPath<Source, Member>) -> Member {
        trackers.access()
        return source[keyPath: keyPath]
    }

    /// A property of the source that can be set.
    ///
    /// Setting the property writes to the cache.
    public subscript<Member>(
        dynamicMember keyPath: ReferenceWritableKeyPath<Source, Member>
    ) -> Member {
        @inlinable get {
            trackers.access()
            return source[keyPath: keyPath]
        }
        @inlinable set { source[keyPath: keyPath] = newValue }
    }

    /// The latest state.
    @inlinable public var state: Source.State { read { $0.state } }

    /// Returns the result of a closure that reads the source.
    ///
    /// ```swift
    /// let newest = cache.query(Book.self).sorted(by: \.year, .descending).observable
    /// let position = newest.read { $0.index(ofID: 7) }
    /// ```
    ///
    /// - Parameter body: A closure that receives the source.
    /// - Throws: Any error that the closure throws.
    @inlinable
    public func read<Result, Failure: Error>(
        _ body: (Source) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        trackers.access()
        return try body(source)
    }
}

extension CacheSource {
    /// A new object for the Observation framework, whose trackers are notified on the main actor.
    ///
    /// ```swift
    /// let page = cache.cached(Book.self, id: 1).observable
    /// print(page.value?.title ?? "")
    /// ```
    ///
    /// Keep the object: after it is deallocated, its trackers are no longer notified. To choose
    /// another delivery, use the object's initializer.
    public var observable: Observed<Self> { Observed(self) }
}

extension Observed: Identifiable where Source: Identifiable {
    /// The identifier of the source.
    public var id: Source.ID { source.id }
}

extension Observed {
    /// Changes the value of an entity in place, if there is one: an atomic read, modification and
    /// write.
    ///
    /// ```swift
    /// let earthsea = cache.cached(Book.self, id: 1).observable
    /// earthsea.update { $0.copies += 1 }
    /// ```
    ///
    /// See ``CacheType/update(_:id:_:)``.
    ///
    /// - Parameter body: A closure that changes the value. It must not change the identifier.
    /// - Returns: The value that is now stored. If there was no value or the cache has been
    ///   deallocated, the closure isn't called and the result is `nil`.
    /// - Throws: Any error that the closure throws.
    @discardableResult
    public func update<Value, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Void
    ) throws(Failure) -> Value? where Source == Cached<Value> {
        try source.update(body)
    }

    /// The elements of a query at some positions, without positions beyond the end.
    ///
    /// For example, `[0..<20]` returns the first 20 elements, or all of them if there are fewer.
    ///
    /// - Parameter positions: The positions.
    /// - Complexity: O(log *n* + *k*) for *k* of *n* elements.
    public subscript<Element>(positions: some RangeExpression<Int>) -> [Element]
    where Source == CachedQuery<Element> {
        read { $0[positions] }
    }

    /// The rows of a mapped query at some positions, without positions beyond the end.
    ///
    /// - Parameter positions: The positions.
    /// - Complexity: O(log *n* + *k*) for *k* of *n* rows.
    public subscript<Element, Row>(positions: some RangeExpression<Int>) -> [Row]
    where Source == MappedQuery<Element, Row> {
        read { $0[positions] }
    }
}

extension Observed where Source: LoadingSource {
    /// The progress of a loading source, for a progress indicator.
    ///
    /// A tracker that reads the property is notified of its next change, also if the state stays
    /// the same.
    public var loadState: LoadState { self[dynamicMember: \.loadState] }

    /// The value of a property for a further progress, such as ``LoadingList/nextLoadState``.
    ///
    /// See ``loadState``.
    public subscript(dynamicMember keyPath: KeyPath<Source, LoadState>) -> LoadState {
        loads.begin { trackers in
            source.loadStates._observe(initial: false, delivery: delivery) { _ in
                trackers.notify()
            }
        }
        loads.trackers.access()
        return source[keyPath: keyPath]
    }

    /// A Boolean value that indicates whether a load waits for an answer.
    ///
    /// See ``loadState``.
    public var isLoading: Bool { loadState.isLoading }

    /// The error of the last load until the next one begins, or `nil`.
    ///
    /// See ``loadState``.
    public var error: (any Error)? { loadState.error }
}

/// The trackers of a load state.
///
/// The first read begins the observation.
@usableFromInline
final class LoadTracking: Sendable {
    let trackers = Trackers()
    private let observation = Locked<Disposable?>(nil)

    @usableFromInline
    init() {}

    /// Begins the observation that a closure makes, unless it has begun.
    func begin(_ observe: (Trackers) -> Disposable) {
        if observation.withLock({ $0 != nil }) { return }
        // The observation may call user code, so it begins without the lock.
        let new = observe(trackers)
        let surplus = observation.withLock { observation -> Disposable? in
            if observation != nil { return new }
            observation = new
            return nil
        }
        surplus?.dispose()
    }
}

/// The trackers that the Observation framework notifies of the next change of a state.
///
/// This object is separate from the observable object, so that an observation can notify the
/// trackers without keeping the observable object alive.
@usableFromInline
package final class Trackers: Observable, Sendable {
    private let registrar = ObservationRegistrar()

    @usableFromInline
    package init() {}

    /// A property that stands for the state in calls to the registrar.
    private var state: Void { () }

    /// Registers the current tracker, if there is one.
    @usableFromInline
    package func access() { registrar.access(self, keyPath: \.state) }

    /// Notifies the registered trackers and clears the list.
    @usableFromInline
    package func notify() { registrar.withMutation(of: self, keyPath: \.state) {} }
}
