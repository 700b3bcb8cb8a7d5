import FlatCache

/// The answer for the page of a book: the book, and facts that no other screen shows.
struct BookDetails: Decodable, Equatable {
    var book: Related<Book>

    /// The number of copies in the shop.
    var copies: Int

    /// The books that other visitors have bought with it.
    var alsoBought: [Related<Book>]
}
