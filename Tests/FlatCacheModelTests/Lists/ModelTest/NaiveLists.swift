@testable import FlatCache
@testable import FlatCacheTestSupport

/// A model of lists and their values that implements the contract in the simplest way.
struct NaiveLists {
    /// The orders of the existing lists, by their number.
    private(set) var orders: [Int: [Book.ID]] = [:]
    private(set) var values: [Book.ID: Book] = [:]
    /// The observed lists, with the number of relationships that their observers follow.
    let observed: [Int: Int]

    init(observed: [Int: Int]) {
        self.observed = observed
    }

    func ids(_ list: Int) -> [Book.ID] { orders[list] ?? [] }

    func elements(_ list: Int) -> [Book] { ids(list).compactMap { values[$0] } }

    /// Returns the books that a list reaches: its elements, and related books within a number of
    /// levels.
    func reach(_ list: Int, levels: Int) -> Set<Book.ID> {
        var reached = Set(ids(list))
        var newest = reached
        var level = 0
        while level < levels, !newest.isEmpty {
            newest = Set(newest.compactMap { values[$0]?.sequel?.id }).subtracting(reached)
            reached.formUnion(newest)
            level += 1
        }
        return reached
    }

    /// Returns the books whose values differ from another state.
    func changedValues(since old: NaiveLists) -> Set<Book.ID> {
        Set(values.keys).union(old.values.keys).filter { values[$0] != old.values[$0] }
    }

    mutating func perform(_ operation: ListOperation) {
        switch operation {
        case .replace(let list, let books):
            set(books)
            leave(books.map(\.id), in: list)
        case .append(let list, let books):
            set(books)
            leave(ids(list) + books.map(\.id), in: list)
        case .insert(let list, let book, let index):
            set([book])
            put(book.id, at: index, in: list)
        case .remove(let list, let id): leave(ids(list).filter { $0 != id }, in: list)
        case .move(let list, let id, let index):
            if ids(list).contains(id) { put(id, at: index, in: list) }
        case .removeAll(let list): leave([], in: list)
        case .setIDs(let list, let ids): leave(ids, in: list)
        case .reverse(let list): leave(ids(list).reversed(), in: list)
        case .setValue(let book): set([book])
        case .removeValue(let id): values[id] = nil
        case .removeEverything:
            orders = [:]
            values = [:]
        case .prune:
            orders = orders.filter { observed[$0.key] != nil }
            let reached = Set(observed.flatMap { reach($0.key, levels: $0.value) })
            values = values.filter { reached.contains($0.key) }
        case .batch(let operations, let isThrowing):
            let before = self
            for operation in operations { perform(operation) }
            if isThrowing { self = before }
        case .update(let list, let operations, let ids, let isThrowing):
            let before = self
            for operation in operations { perform(operation) }
            leave(ids, in: list)
            if isThrowing { self = before }
        }
    }

    private mutating func set(_ books: [Book]) {
        for book in books { values[book.id] = values[book.id]?.merged(with: book) ?? book }
    }

    /// Sets the order of a list, in which each identifier keeps its first position.
    private mutating func leave(_ ids: [Book.ID], in list: Int) {
        var order: [Book.ID] = []
        for id in ids where !order.contains(id) { order.append(id) }
        // A missing list counts as empty, so an empty order doesn't create it.
        if order != self.ids(list) { orders[list] = order }
    }

    private mutating func put(_ id: Book.ID, at index: Int, in list: Int) {
        var order = ids(list).filter { $0 != id }
        order.insert(id, at: min(index, order.count))
        leave(order, in: list)
    }
}
