/// A function that combines values of the elements of a query, such as the function that adds them.
///
/// The aggregate of elements is the combination of their values, in the order of the query. It's
/// `nil` if no element has a value.
///
/// ```swift
/// let copies = cache.query(Book.self).aggregate(.sum(of: \.copies))
/// let longest = cache.query(Book.self).aggregate(
///     QueryAggregate(of: { $0.title.count }, combining: { max($0, $1) })
/// )
/// ```
public struct QueryAggregate<Element: Identifiable & Sendable, Value: Sendable>: Sendable {
    let value: @Sendable (Element, QueryReader) -> Value?
    /// `true` if values may depend on other entities.
    let usesReader: Bool
    let combine: @Sendable (Value, Value) -> Value

    /// Creates an aggregate.
    ///
    /// For example, an aggregate of the numbers of pages that combines two numbers with `max` is
    /// the number of pages of the longest book.
    ///
    /// ## Concurrency
    /// The cache calls both closures on any thread that reads the query, begins to observe it or
    /// commits. In a commit and in a batch, they run under the writers' lock. They must depend on
    /// their arguments alone. They must not write to the cache: under the lock, a write traps.
    ///
    /// - Parameters:
    ///   - value: A closure that returns the value of an element, or `nil` to leave it out.
    ///   - combine: An associative function that combines the values of adjacent elements. It must
    ///     depend on its arguments alone.
    public init(
        of value: @escaping @Sendable (Element) -> Value?,
        combining combine: @escaping @Sendable (Value, Value) -> Value
    ) {
        self.value = { element, _ in value(element) }
        usesReader = false
        self.combine = combine
    }

    /// Creates an aggregate of values that depend on other entities.
    ///
    /// ```swift
    /// let nameLengths = cache.query(Book.self).aggregate(
    ///     QueryAggregate(
    ///         of: { book, cache in book.author.flatMap { cache[$0] }?.name.count },
    ///         combining: { $0 + $1 }
    ///     )
    /// )
    /// ```
    ///
    /// ## Concurrency
    /// The cache calls both closures on any thread that reads the query, begins to observe it or
    /// commits. In a commit and in a batch, they run under the writers' lock. They must depend on
    /// their arguments alone. The first one may read the cache through its second argument. They
    /// must not write to the cache: under the lock, a write traps.
    ///
    /// - Parameters:
    ///   - value: A closure that returns the value of an element, or `nil` to leave it out. It may
    ///     read other entities from its second argument.
    ///   - combine: An associative function that combines the values of adjacent elements. It must
    ///     depend on its arguments alone.
    public init(
        of value: @escaping @Sendable (Element, QueryReader) -> Value?,
        combining combine: @escaping @Sendable (Value, Value) -> Value
    ) {
        self.value = value
        usesReader = true
        self.combine = combine
    }

    /// Returns the aggregate that adds a value of each element.
    ///
    /// ```swift
    /// let copies = cache.query(Book.self).aggregate(.sum(of: \.copies))
    /// print(copies.value ?? 0)
    /// ```
    ///
    /// The sum of floating-point numbers depends on the order in which they're added.
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the query, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its argument alone. If it writes to the cache, the process traps.
    ///
    /// - Parameter value: A closure that returns the value of an element, or `nil` to leave it out.
    public static func sum(of value: @escaping @Sendable (Element) -> Value?) -> QueryAggregate
    where Value: AdditiveArithmetic {
        QueryAggregate(of: value) { $0 + $1 }
    }

    /// Returns the aggregate that finds the least value of the elements.
    ///
    /// ```swift
    /// let first = cache.query(Book.self).aggregate(.min(of: \.year))
    /// print(first.value ?? 0)
    /// ```
    ///
    /// A value that doesn't equal itself, such as NaN, counts only if there is no other.
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the query, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its argument alone. If it writes to the cache, the process traps.
    ///
    /// - Parameter value: A closure that returns the value of an element, or `nil` to leave it out.
    public static func min(of value: @escaping @Sendable (Element) -> Value?) -> QueryAggregate
    where Value: Comparable {
        QueryAggregate(of: value, combining: Value.lesser)
    }

    /// Returns the aggregate that finds the greatest value of the elements.
    ///
    /// ```swift
    /// let latestByAuthor = cache.query(Book.self).aggregate(.max(of: \.year), by: \.author)
    /// print(latestByAuthor[Related("le-guin")] ?? 0)
    /// ```
    ///
    /// A value that doesn't equal itself, such as NaN, counts only if there is no other.
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the query, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its argument alone. If it writes to the cache, the process traps.
    ///
    /// - Parameter value: A closure that returns the value of an element, or `nil` to leave it out.
    public static func max(of value: @escaping @Sendable (Element) -> Value?) -> QueryAggregate
    where Value: Comparable {
        QueryAggregate(of: value, combining: Value.greater)
    }
}

extension QueryAggregate where Value == Int {
    /// The aggregate that counts the elements.
    public static var count: QueryAggregate {
        QueryAggregate(of: { _ in 1 }, combining: { $0 + $1 })
    }
}

extension Comparable {
    /// Returns the lesser of two values.
    ///
    /// If one of them doesn't equal itself, such as NaN, the function returns the other one.
    static func lesser(_ first: Self, _ second: Self) -> Self {
        if first != first { return second }
        return second < first ? second : first
    }

    /// Returns the greater of two values.
    ///
    /// If one of them doesn't equal itself, such as NaN, the function returns the other one.
    static func greater(_ first: Self, _ second: Self) -> Self {
        if first != first { return second }
        return first < second ? second : first
    }
}
