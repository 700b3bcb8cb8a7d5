/// The elements of a query in sections of equal keys, in the order of the keys.
///
/// ```swift
/// let years = cache.query(Book.self).sorted(by: \.title).sections(by: \.year)
/// print(years.keys, years[1968].map(\.title))
///
/// let observation = years.observeChanges { change in
///     print(change.difference.count, change.sections.map(\.index))
/// }
/// ```
///
/// The ``CachedProjection/value`` consists of all sections with their elements. A section has at
/// least one element. Elements without a key, or with a key such as NaN that doesn't equal itself,
/// are in the last section, whose key is `nil`.
public final class QuerySections<
    Key: Hashable & Comparable & Sendable,
    Element: Identifiable & Sendable
>: CachedProjection<[QuerySection<Key, Element>]>, @unchecked Sendable where Element.ID: Sendable {
    // The properties are constant and `Sendable`.

    private let live: LiveQuery<Element, SectionMember<Key>>
    private let core: CacheCore
    private let isDescending: Bool

    init(
        _ sections: LiveProjection<Element, SectionMember<Key>, [QuerySection<Key, Element>]>,
        isDescending: Bool
    ) {
        live = sections.live
        core = sections.core
        self.isDescending = isDescending
        super.init(sections)
    }

    /// The keys of the sections, in their order.
    ///
    /// - Complexity: O(*s* log *n*) for *s* sections and *n* elements, if the sections are current.
    ///   Otherwise, the query runs.
    public var keys: [Key?] {
        live.read(in: core) { SectionedRows($0.rows, in: $0.shown).keys } ?? []
    }

    /// The elements of a section, in the order of the query.
    ///
    /// - Parameter key: The key of the section. If there is no such section, the result is empty.
    /// - Complexity: O(log *n* + *k*) for *k* of *n* elements, if the sections are current.
    ///   Otherwise, the query runs.
    public subscript(key: Key?) -> [Element] {
        let place = QuerySortKey(key, isDescending: isDescending)
        return live.read(in: core) { result in
            result.elements(
                at: SectionedRows(result.rows, in: result.shown).offsets(ofSectionAt: place)
            )
        } ?? []
    }

    /// Calls a closure with each change to the sections, to their elements, or to the order of the
    /// elements.
    ///
    /// See ``CachedQuery/observeChanges(delivery:_:)``.
    ///
    /// ## Concurrency
    /// See ``Cache/observeChanges(_:id:initial:following:delivery:_:)``.
    ///
    /// - Parameters:
    ///   - delivery: The delivery of the calls.
    ///   - body: A closure that receives each change.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    /// - Complexity: The first observation runs the query.
    public func observeChanges(
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable (QuerySectionsChange<Key, Element>) -> Void
    ) -> Disposable {
        live.observeChanges(in: core, delivery: delivery) { [isDescending] transition, version in
            body(QuerySectionsChange(transition, version: version, isDescending: isDescending))
        }
    }

    /// Calls a closure on the calling actor with each change to the sections, to their elements, or
    /// to the order of the elements.
    ///
    /// ## Concurrency
    /// See ``Cached/observe(isolation:initial:following:_:)``.
    ///
    /// - Parameters:
    ///   - actor: The actor to which the caller is isolated: `#isolation`.
    ///   - body: A closure that receives each change.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    /// - Complexity: The first observation runs the query.
    public func observeChanges(
        isolation actor: isolated (any Actor)?,
        _ body: @escaping (QuerySectionsChange<Key, Element>) -> Void
    ) -> Disposable {
        let body = IsolatedBody(of: actor, body)
        return observeChanges(
            delivery: .isolated(toCaller: actor, of: "observeChanges(isolation:…)")
        ) { body($0) }
    }

    /// A sequence of all changes, in commit order.
    ///
    /// See ``changes(buffering:)``.
    public var changes: CacheSequence<QuerySectionsChange<Key, Element>> { changes() }

    /// Returns a sequence of all changes, in commit order.
    ///
    /// - Parameter policy: The policy that buffers changes for a consumer that is slower than the
    ///   commits. With `.unbounded`, the consumer misses no change.
    public func changes(
        buffering policy: BufferingPolicy = .unbounded
    ) -> CacheSequence<QuerySectionsChange<Key, Element>> {
        CacheSequence(policy) { [self] sender in observeChanges { sender.send(.known($0)) } }
    }
}
