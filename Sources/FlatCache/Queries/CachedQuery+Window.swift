extension CachedQuery {
    /// Returns a query with a maximum number of elements.
    ///
    /// ```swift
    /// let newest = cache.query(Book.self).sorted(by: \.year, .descending).limit(20)
    /// ```
    ///
    /// The limit applies to the ordered result, after the ``offset(_:)``. If an element leaves, the
    /// next one takes its place.
    ///
    /// - Parameter count: The maximum number of elements. A negative number is a programmer error
    ///   and traps.
    public func limit(_ count: Int) -> CachedQuery {
        precondition(count >= 0, "A query can't show \(count) rows: give a limit of zero or more.")
        return with { $0.window.limit = count }
    }

    /// Returns a query without the first elements of the ordered result.
    ///
    /// ```swift
    /// let secondPage = cache.query(Book.self).sorted(by: \.title).offset(20).limit(20)
    /// ```
    ///
    /// - Parameter count: The number of elements to leave out. A negative number is a programmer
    ///   error and traps.
    public func offset(_ count: Int) -> CachedQuery {
        precondition(count >= 0, "A query can't leave out \(count) rows: give zero or more.")
        return with { $0.window.offset = count }
    }
}
