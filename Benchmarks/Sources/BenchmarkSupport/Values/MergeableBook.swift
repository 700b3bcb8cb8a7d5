import FlatCache

/// A `Mergeable` ``Book``: the fields of the incoming value win.
struct MergeableBook: Identifiable, Sendable, Mergeable {
    let id: Int
    var title: String
    var pages: Int
    var copies: Int

    /// Returns this book with the other's fields.
    func merged(with other: Self) -> Self {
        Self(id: id, title: other.title, pages: other.pages, copies: other.copies)
    }

    /// Returns the books with the identifiers of a range, in order.
    static func books(_ ids: Range<Int>, edition: Int) -> [Self] {
        ids.map { id in
            Self(id: id, title: Texts.title(id, edition: edition), pages: id, copies: edition)
        }
    }
}
