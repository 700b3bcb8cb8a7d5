@testable import FlatCache
@testable import FlatCacheTestSupport

/// A naive model of lists of pages: each element carries the number of its page.
struct NaivePages {
    struct UnknownCursor: Error {}

    struct Element: Equatable {
        let id: Book.ID
        var page: Int
    }

    struct List: Equatable {
        var elements: [Element] = []
        /// The cursors that the pages 0, 1, … ended with; the last page may have none.
        var cursors: [String] = []
        var isComplete = false
        /// The number of the operation that replaced the list from the start.
        var beginning = 0

        var ids: [Book.ID] { elements.map(\.id) }

        var next: NextPage {
            if isComplete { return .end }
            return cursors.isEmpty ? .unknown : .after(cursors[cursors.count - 1])
        }

        func hasSameContent(as other: List) -> Bool {
            // The numbers of the pages matter only as far as a cursor can tell them apart.
            ids == other.ids && cursors == other.cursors && isComplete == other.isComplete
                && cuts == other.cuts
        }

        /// The elements that each cursor keeps.
        private var cuts: [[Book.ID]] {
            cursors.indices.map { page in elements.filter { $0.page <= page }.map(\.id) }
        }
    }

    struct Request: Equatable {
        var next: NextPage
        var beginning: Int
    }

    private(set) var lists: [Int: List] = [:]
    private(set) var stored: Set<Book.ID> = []
    private var requests: [Int: Request] = [:]
    private var operationCount = 0

    func list(_ number: Int) -> List { lists[number] ?? List() }

    func hasSameContent(as other: NaivePages) -> Bool {
        stored == other.stored && Set(lists.keys) == Set(other.lists.keys)
            && lists.allSatisfy { other.list($0.key).hasSameContent(as: $0.value) }
    }

    /// Performs an operation as one commit.
    mutating func perform(_ operation: PageOperation) {
        operationCount += 1
        let before = lists
        try? performInside(operation)
        // A commit that changes nothing isn't one.
        for (number, list) in lists {
            if let old = before[number], old.hasSameContent(as: list) { lists[number] = old }
        }
    }

    private mutating func performInside(_ operation: PageOperation) throws {
        switch operation {
        case .merge(let list, let ids, let asValues, let cursor, let next):
            try merge(ids, asValues: asValues, after: cursor, next: next, in: list)
        case .request(let list):
            requests[list] = Request(
                next: self.list(list).next,
                beginning: self.list(list).beginning
            )
        case .answer(let list, let ids, let next):
            let current = self.list(list)
            guard let request = requests[list], request.next != .end,
                request == Request(next: current.next, beginning: current.beginning)
            else { return }
            try merge(ids, asValues: true, after: request.next.cursor, next: next, in: list)
        case .replace(let list, let ids):
            stored.formUnion(ids)
            restart(with: ids, in: list)
        case .removeAll(let list): restart(with: [], in: list)
        case .setIDs(let list, let ids): edit(list) { $0 = ids }
        case .insert(let list, let id, let index):
            stored.insert(id)
            edit(list) { ids in
                ids.removeAll { $0 == id }
                ids.insert(id, at: min(index, ids.count))
            }
        case .append(let list, let ids):
            stored.formUnion(ids)
            edit(list) { $0 += ids }
        case .remove(let list, let id): edit(list) { $0.removeAll { $0 == id } }
        case .move(let list, let id, let index):
            edit(list) { ids in
                guard ids.contains(id) else { return }
                ids.removeAll { $0 == id }
                ids.insert(id, at: min(index, ids.count))
            }
        case .reverse(let list): edit(list) { $0.reverse() }
        case .removeEverything:
            lists = [:]
            stored = []
        case .batch(let operations, let isThrowing):
            let before = self
            for operation in operations { try? performInside(operation) }
            if isThrowing {
                self = before
                throw UnknownCursor()
            }
        }
    }

    private mutating func merge(
        _ ids: [Book.ID],
        asValues: Bool,
        after cursor: String?,
        next: String?,
        in number: Int
    ) throws {
        var list = list(number)
        if let cursor {
            guard let page = list.cursors.firstIndex(of: cursor) else { throw UnknownCursor() }
            list.elements.removeAll { $0.page > page }
            list.cursors.removeSubrange((page + 1)...)
        } else {
            list = List(beginning: operationCount)
        }
        if let next, let repeated = list.cursors.firstIndex(of: next) {
            list.cursors.remove(at: repeated)
            for index in list.elements.indices where list.elements[index].page > repeated {
                list.elements[index].page -= 1
            }
        }
        for id in ids where !list.ids.contains(id) {
            list.elements.append(Element(id: id, page: list.cursors.count))
        }
        list.isComplete = next == nil
        if let next { list.cursors.append(next) }
        if asValues { stored.formUnion(ids) }
        write(list, number)
    }

    private mutating func restart(with ids: [Book.ID], in number: Int) {
        var list = List(beginning: operationCount)
        for id in ids where !list.ids.contains(id) {
            list.elements.append(Element(id: id, page: 0))
        }
        write(list, number)
    }

    private mutating func edit(_ number: Int, _ body: (inout [Book.ID]) -> Void) {
        var list = list(number)
        var ids = list.ids
        body(&ids)
        let pages = Dictionary(uniqueKeysWithValues: list.elements.map { ($0.id, $0.page) })
        list.elements = []
        let lastPage = list.isComplete ? list.cursors.count : max(0, list.cursors.count - 1)
        for id in ids where !list.ids.contains(id) {
            list.elements.append(Element(id: id, page: pages[id] ?? lastPage))
        }
        // An element before an element of an earlier page belongs to that page now.
        var page = lastPage
        for index in list.elements.indices.reversed() {
            page = min(page, list.elements[index].page)
            list.elements[index].page = page
        }
        if list.ids != self.list(number).ids { write(list, number) }
    }

    private mutating func write(_ list: List, _ number: Int) {
        if !list.hasSameContent(as: self.list(number)) { lists[number] = list }
    }
}
