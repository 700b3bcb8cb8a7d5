import FlatCache

/// A page of the list of all books.
struct BookPage: Decodable {
    /// The books, contained in the response as partial objects.
    var items: [Related<Book>]

    /// The cursor of the next page, or `nil` on the last one.
    var next: String?
}
