/// The books that a visitor thinks of ordering.
struct OrderDraft: Codable, Equatable, Sendable {
    /// A book of an order, with as much of it as the order has to show when the shop is closed.
    struct Item: Equatable, Sendable {
        let book: Book.ID
        var title: String
        var year: Int?
        var copies = 1
    }

    var items: [Item]

    /// Drafts an order of one copy of each book whose title is known.
    init(of books: some Sequence<Book>) {
        items = books.compactMap { book in
            book.title.map { Item(book: book.id, title: $0, year: book.year) }
        }
    }

    /// What is ordered, in a visitor's favourite order.
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

extension OrderDraft.Item: Codable {
    private enum CodingKeys: String, CodingKey {
        case book, title, year, copies
    }

    // Written by hand for the sake of whoever edits the file: a number that is none is told its place.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        book = try container.decode(WholeNumber.self, forKey: .book).value
        title = try container.decode(String.self, forKey: .title)
        year = try container.decodeIfPresent(WholeNumber.self, forKey: .year)?.value
        copies = try container.decode(WholeNumber.self, forKey: .copies).value
    }
}
