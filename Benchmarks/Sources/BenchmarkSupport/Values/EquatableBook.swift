/// An `Equatable` ``Book``, as most models of apps are.
struct EquatableBook: Identifiable, Sendable, Equatable {
    let id: Int
    var title: String
    var pages: Int
    var copies: Int

    /// Returns the books with the identifiers of a range, in order.
    static func books(_ ids: Range<Int>, edition: Int) -> [Self] {
        ids.map { id in
            Self(id: id, title: Texts.title(id, edition: edition), pages: id, copies: edition)
        }
    }
}
