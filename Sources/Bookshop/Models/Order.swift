import FlatCache

/// An order of one book.
struct Order: CacheEntity, Codable, Equatable {
    /// The number that the shop assigns, or a negative one until then.
    let id: Int
    var book: Related<Book>
    var copies: Int
}

extension Order: CustomStringConvertible {
    var description: String {
        "\(id < 0 ? "a new order" : "order \(id)"): \(copies) of book \(book.id)"
    }
}
