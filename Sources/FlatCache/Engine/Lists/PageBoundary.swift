/// The end of a page in the stored state of a list.
@usableFromInline
package struct PageBoundary: Hashable, Sendable {
    /// The cursor that the server sent with the page, with which the next page is requested.
    @usableFromInline package let cursor: String
    /// The number of elements up to the end of the page.
    @usableFromInline package var position: Int

    @usableFromInline
    package init(cursor: String, position: Int) {
        self.cursor = cursor
        self.position = position
    }
}
