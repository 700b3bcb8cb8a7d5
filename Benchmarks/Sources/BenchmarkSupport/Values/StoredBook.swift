/// The value of the rows about graphs, whose encoding has about 120 bytes.
struct StoredBook: Identifiable, Codable, Equatable, Sendable {
    let id: Int
    var title: String
    var author: String
    var year: Int
    var price: Double
    var isInStock: Bool

    /// Returns the books with the identifiers of a range, in order.
    static func books(_ ids: Range<Int>, edition: Int = 0) -> [StoredBook] {
        ids.map { id in
            StoredBook(
                id: id,
                title: Texts.title(id, edition: edition),
                author: Texts.identifier(id % 1_000),
                year: 1_900 + id % 120,
                price: Double(id) / 7,
                isInStock: id.isMultiple(of: 2)
            )
        }
    }
}
