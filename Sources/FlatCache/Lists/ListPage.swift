/// A page of a list, as an endpoint returns it: values or references, and the cursor of the next
/// page.
///
/// ```swift
/// struct BooksPage: Decodable {
///     var items: [Related<Book>]
///     var next: String?
/// }
/// func page(of response: BooksPage) -> ListPage<Book> {
///     ListPage(response.items, next: response.next)
/// }
/// ```
///
/// The closure of ``CachedList/loadNext(_:)`` returns a page.
public struct ListPage<Element: Identifiable & Sendable>: Sendable where Element.ID: Sendable {
    /// The identifiers of the page's elements, in their order.
    public let ids: [Element.ID]
    /// The cursor of the next page, or `nil` if this page is the last one.
    public let next: String?
    /// The values to store, if the page consists of values.
    @usableFromInline let values: [Element]

    /// Creates a page of values.
    ///
    /// ```swift
    /// let page = ListPage([Book(id: 1, title: "Tehanu")], next: "page 2")
    /// print(page.ids)  // [1]
    /// ```
    ///
    /// - Parameters:
    ///   - values: The values, in their order.
    ///   - next: The cursor of the next page, or `nil` if this page is the last one.
    @inlinable
    public init(_ values: some Sequence<Element>, next: String?) {
        self.values = Array(values)
        self.next = next
        ids = self.values.map { $0.id }
    }

    /// Creates a page of references to entities, whether or not they're stored yet.
    ///
    /// - Parameters:
    ///   - references: The references, in their order.
    ///   - next: The cursor of the next page, or `nil` if this page is the last one.
    @_disfavoredOverload
    @inlinable
    public init(_ references: some Sequence<Related<Element>>, next: String?) {
        self.next = next
        values = []
        ids = references.map { $0.id }
    }
}
