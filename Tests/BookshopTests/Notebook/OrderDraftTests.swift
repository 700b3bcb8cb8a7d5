import FlatCache
import Testing

@testable import Bookshop

@Suite("Order draft")
struct OrderDraftTests {
    private func book(_ id: Int, _ title: String, year: Int? = nil) -> Book {
        Book(id: id, title: title, author: Related("a"), year: year)
    }

    @Test("One copy is ordered of each book")
    func books() {
        let order = OrderDraft(of: [book(1, "Dune", year: 1965)])
        #expect(order.items == [OrderDraft.Item(book: 1, title: "Dune", year: 1965, copies: 1)])
    }

    @Test("The draft is sorted by title, or by year with missing years last")
    func sorting() {
        var order = OrderDraft(of: [
            book(1, "C", year: 1950), book(2, "B"), book(3, "A", year: 1960),
        ])
        order.items[1].copies = 3
        #expect(order.lines(sortedBy: .title) == ["A (1960)", "B, 3 copies", "C (1950)"])
        #expect(order.lines(sortedBy: .year) == ["C (1950)", "A (1960)", "B, 3 copies"])
    }
}
