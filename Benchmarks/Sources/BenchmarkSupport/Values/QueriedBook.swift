import FlatCache

/// The value of the rows about queries: a number to sort by, and the number of an author.
struct QueriedBook: Identifiable, Equatable, Sendable {
    static let byAuthor = CacheIndex("author", \QueriedBook.author)

    let id: Int
    var number: Int
    var author: Int

    /// Returns books whose numbers are in another order than their identifiers, one hundred for
    /// each author.
    static func books(_ count: Int) -> [QueriedBook] {
        (0..<count).map { QueriedBook(id: $0, number: $0 &* 7919 % count, author: $0 / 100) }
    }

    /// Returns changed books out of a number of books, with random numbers and authors.
    static func randomBooks(
        _ count: Int,
        of total: Int,
        authors: Int,
        _ generator: inout some RandomNumberGenerator
    ) -> [QueriedBook] {
        (0..<count).map { _ in
            QueriedBook(
                id: .random(in: 0..<total, using: &generator),
                number: .random(in: 0..<total, using: &generator),
                author: .random(in: 0..<authors, using: &generator)
            )
        }
    }
}
