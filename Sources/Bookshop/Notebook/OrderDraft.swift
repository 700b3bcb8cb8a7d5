/// The books that a visitor may order.
struct OrderDraft: Codable, Equatable, Sendable {
    /// A book of an order, with the properties that the order shows while the shop is closed.
    struct Item: Codable, Equatable, Sendable {
        let book: Book.ID
        var title: String
        var year: Int?
        var copies = 1
    }

    var items: [Item]

    /// Creates a draft with one copy of each book.
    init(of books: some Sequence<Book>) {
        items = books.map { Item(book: $0.id, title: $0.title, year: $0.year) }
    }

    /// Returns a line for each item, in a sort order.
    func lines(sortedBy sorting: Settings.Sorting) -> [String] {
        let sorted = items.sorted {
            switch sorting {
            case .title: $0.title < $1.title
            case .year: ($0.year ?? .max, $0.title) < ($1.year ?? .max, $1.title)
            }
        }
        return sorted.map { item in
            let year = item.year.map { " (\($0))" } ?? ""
            let copies = item.copies == 1 ? "" : ", \(item.copies) copies"
            return item.title + year + copies
        }
    }
}
