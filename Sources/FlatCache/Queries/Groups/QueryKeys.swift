/// The keys of the groups to which an element of a query belongs: any number of them.
///
/// ```swift
/// let counts = cache.query(Book.self).counts(by: .each { $0.title.split(separator: " ") })
/// print(counts["Earthsea"] ?? 0)
/// ```
///
/// An element belongs to each group once, even if its keys contain equal ones. An element without
/// keys belongs to no group, and keys such as NaN that don't equal themselves are left out.
///
/// For one key per element, pass the closure itself, as in `counts(by: \.author)`.
public struct QueryKeys<Element: Identifiable & Sendable, Key: Hashable & Sendable>: Sendable
where Element.ID: Sendable {
    /// A closure that calls another closure with each key of a value.
    @usableFromInline let forEachKey: @Sendable (Element, QueryReader, (Key) -> Void) -> Void
    /// A Boolean value that indicates whether keys may depend on other entities.
    @usableFromInline let usesReader: Bool

    @inlinable
    init(
        usesReader: Bool,
        forEachKey: @escaping @Sendable (Element, QueryReader, (Key) -> Void) -> Void
    ) {
        self.usesReader = usesReader
        self.forEachKey = forEachKey
    }

    /// Returns the keys that a closure returns for an element.
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the query, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its argument alone. If it writes to the cache, the process traps.
    ///
    /// - Parameter keys: A closure that returns the keys of a value.
    @inlinable
    public static func each<Keys: Sequence<Key> & Sendable>(
        _ keys: @escaping @Sendable (Element) -> Keys
    ) -> QueryKeys where Keys.Iterator: Sendable {
        QueryKeys(usesReader: false) { value, _, body in
            for key in keys(value) { body(key) }
        }
    }

    /// Returns the keys that a closure returns for an element, and that depend on other entities.
    ///
    /// See `each(_:)` with a closure of one argument.
    ///
    /// ```swift
    /// let counts = cache.query(Book.self).counts(by: .each { book, cache in
    ///     [book.author.flatMap { cache[$0] }?.name, book.title].compactMap { $0 }
    /// })
    /// ```
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the query, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its arguments alone, and read the cache only through the second one. If it
    /// writes to the cache, the process traps.
    ///
    /// - Parameter keys: A closure that returns the keys of a value. It may read other entities
    ///   from its second argument.
    @inlinable
    public static func each<Keys: Sequence<Key> & Sendable>(
        _ keys: @escaping @Sendable (Element, QueryReader) -> Keys
    ) -> QueryKeys where Keys.Iterator: Sendable {
        QueryKeys(usesReader: true) { value, reader, body in
            for key in keys(value, reader) { body(key) }
        }
    }
}
