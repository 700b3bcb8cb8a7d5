extension QueryAggregate {
    /// Returns the aggregate that adds a value of each element, which depends on other entities.
    ///
    /// See `sum(of:)` with a closure of one argument.
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the query, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its arguments alone, and read the cache only through the second one. If it
    /// writes to the cache, the process traps.
    ///
    /// - Parameter value: A closure that returns the value of an element, or `nil` to leave it out.
    ///   It may read other entities from its second argument.
    public static func sum(
        of value: @escaping @Sendable (Element, QueryReader) -> Value?
    ) -> QueryAggregate where Value: AdditiveArithmetic {
        QueryAggregate(of: value) { $0 + $1 }
    }

    /// Returns the aggregate that finds the least value of the elements, which depends on other
    /// entities.
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the query, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its arguments alone, and read the cache only through the second one. If it
    /// writes to the cache, the process traps.
    ///
    /// - Parameter value: A closure that returns the value of an element, or `nil` to leave it out.
    ///   It may read other entities from its second argument.
    public static func min(
        of value: @escaping @Sendable (Element, QueryReader) -> Value?
    ) -> QueryAggregate where Value: Comparable {
        QueryAggregate(of: value, combining: Value.lesser)
    }

    /// Returns the aggregate that finds the greatest value of the elements, which depends on other
    /// entities.
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the query, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its arguments alone, and read the cache only through the second one. If it
    /// writes to the cache, the process traps.
    ///
    /// - Parameter value: A closure that returns the value of an element, or `nil` to leave it out.
    ///   It may read other entities from its second argument.
    public static func max(
        of value: @escaping @Sendable (Element, QueryReader) -> Value?
    ) -> QueryAggregate where Value: Comparable {
        QueryAggregate(of: value, combining: Value.greater)
    }
}
