import Testing

@testable import Bookshop

@Suite("Order draft")
struct OrderDraftTests {
    @Test("One copy is ordered of each book whose title is known")
    func books() {
        let order = OrderDraft(of: [Book(id: 1, title: "Dune", year: 1965), Book(id: 2)])
        #expect(order.items == [OrderDraft.Item(book: 1, title: "Dune", year: 1965, copies: 1)])
    }

    @Test("The draft is sorted by title, or by year with missing years last")
    func sorting() {
        var order = OrderDraft(of: [
            Book(id: 1, title: "C", year: 1950), Book(id: 2, title: "B"),
            Book(id: 3, title: "A", year: 1960),
        ])
        order.items[1].copies = 3
        #expect(order.lines(sortedBy: .title) == ["A (1960)", "B, 3 copies", "C (1950)"])
        #expect(order.lines(sortedBy: .year) == ["C (1950)", "A (1960)", "B, 3 copies"])
    }
}
