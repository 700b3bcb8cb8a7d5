// Spellings of other collections and query languages. The compiler prefers an available method to
// these overloads and reports only calls that no other overload fits.

extension CachedQuery {
    /// Unavailable: add a condition.
    @available(*, unavailable, renamed: "where(_:)")
    public func filter(_ condition: @escaping @Sendable (Element) -> Bool) -> CachedQuery {
        preconditionFailure("Add a condition.")
    }

    /// Unavailable: sort by a key.
    @available(
        *,
        unavailable,
        message: """
            Sort by a key, and give the direction: \
            sorted(by: \\.year, .descending).then(by: \\.title)
            """
    )
    @_disfavoredOverload
    public func sorted(by areInOrder: @escaping @Sendable (Element, Element) -> Bool) -> CachedQuery
    {
        preconditionFailure("Sort by a key.")
    }

    /// Unavailable: give the direction without a label.
    @available(*, unavailable, renamed: "sorted(by:_:)")
    public func sorted<Key: Comparable & Sendable>(
        by key: @escaping @Sendable (Element) -> Key?,
        order direction: SortDirection
    ) -> CachedQuery {
        preconditionFailure("Give the direction without a label.")
    }

    /// Unavailable: declare an index, or use a condition.
    @available(
        *,
        unavailable,
        message: """
            Declare an index: static let byAuthor = CacheIndex("author", \\Book.author), or use a \
            closure: where { $0.author == author }
            """
    )
    public func `where`<Key: Equatable>(
        _ key: @escaping @Sendable (Element) -> Key?,
        equals value: Key
    ) -> CachedQuery {
        preconditionFailure("Declare an index, or use a condition.")
    }
}

extension SortDirection {
    /// Unavailable: the name of Foundation's order.
    @available(*, unavailable, renamed: "ascending")
    public static var forward: SortDirection { .ascending }

    /// Unavailable: the name of Foundation's order.
    @available(*, unavailable, renamed: "descending")
    public static var reverse: SortDirection { .descending }
}
