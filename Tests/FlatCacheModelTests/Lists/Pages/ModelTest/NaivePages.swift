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
        /// `true` if the list is complete and its last page has a cursor.
        var keepsCursor = false
        var startCursor: String?
        /// The number of the operation that replaced the list from the start.
        var beginning = 0

        var ids: [Book.ID] { elements.map(\.id) }

        var next: NextPage {
            if isComplete { return .end }
            return cursors.isEmpty ? .unknown : .after(cursors[cursors.count - 1])
        }

        func hasSameContent(as other: List) -> Bool {
            // The numbers of the pages matter only as far as a cursor can tell them apart.
            ids == other.ids && hasSamePages(as: other) && cuts == other.cuts
        }

        func hasSamePages(as other: List) -> Bool {
            cursors == other.cursors && isComplete == other.isComplete
                && keepsCursor == other.keepsCursor && startCursor == other.startCursor
        }

        /// Returns whether a page continues the list with nothing but a cursor that it knows.
        func repeats(_ page: NaivePage, at place: Place) -> Bool {
            guard case .after = place, !page.isEnd, let next = page.next else { return false }
            return cursors.contains(next) && page.ids.allSatisfy { ids.contains($0) }
        }

        /// The number of the page to which an appended element belongs.
        var lastPage: Int {
            isComplete && !keepsCursor ? cursors.count : max(0, cursors.count - 1)
        }

        /// The elements that each cursor keeps.
        private var cuts: [[Book.ID]] {
            cursors.indices.map { page in elements.filter { $0.page <= page }.map(\.id) }
        }
    }

    enum Place: Equatable {
        case none
        case first
        case after(String)
        case before(String)

        var cursor: String? {
            switch self {
            case .none, .first: nil
            case .after(let cursor), .before(let cursor): cursor
            }
        }
    }

    struct Request: Equatable {
        var place: Place
        var beginning: Int
    }

    private(set) var lists: [Int: List] = [:]
    private(set) var stored: Set<Book.ID> = []
    private var requests: [Int: Request] = [:]
    /// The lists when their reloads began, or `nil` for one that didn't exist.
    private var reloads: [Int: List?] = [:]
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
        case .merge(let list, let page, let asValues, let cursor):
            try merge(page, asValues: asValues, at: cursor.map { .after($0) } ?? .first, in: list)
        case .request(let list, let isPrevious):
            requests[list] = request(list, isPrevious: isPrevious)
        case .answer(let list, let page):
            guard let request = requests[list], request.place != .none else { return }
            var isPrevious = false
            if case .before = request.place { isPrevious = true }
            guard request == self.request(list, isPrevious: isPrevious) else { return }
            try merge(page, asValues: true, at: request.place, in: list)
        case .reload(let list): reloads[list] = .some(lists[list])
        case .finishReload(let list, let pages): finishReload(of: list, pages)
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

    /// Returns the request for the next or the previous page.
    func request(_ number: Int, isPrevious: Bool) -> Request {
        let list = list(number)
        let place: Place
        if isPrevious {
            place = list.startCursor.map { .before($0) } ?? .none
        } else if list.isComplete, !list.keepsCursor {
            place = .none
        } else {
            place = list.cursors.last.map { .after($0) } ?? .first
        }
        return Request(place: place, beginning: list.beginning)
    }

    private mutating func merge(
        _ page: NaivePage,
        asValues: Bool,
        at place: Place,
        in number: Int
    ) throws {
        var list = list(number)
        if case .before = place {
            Self.edit(&list) { $0 = page.ids + $0 }
            list.startCursor = page.startCursor
        } else {
            try Self.merge(page, at: place, in: &list, operationCount)
        }
        if asValues { stored.formUnion(page.ids) }
        write(list, number)
    }

    static func merge(
        _ page: NaivePage,
        at place: Place,
        in list: inout List,
        _ operation: Int
    ) throws {
        if case .after(let cursor) = place {
            guard let page = list.cursors.firstIndex(of: cursor) else { throw UnknownCursor() }
            list.elements.removeAll { $0.page > page }
            list.cursors.removeSubrange((page + 1)...)
        } else {
            list = List(startCursor: page.startCursor, beginning: operation)
        }
        if let next = page.next, let repeated = list.cursors.firstIndex(of: next) {
            list.cursors.remove(at: repeated)
            for index in list.elements.indices where list.elements[index].page > repeated {
                list.elements[index].page -= 1
            }
        }
        for id in page.ids where !list.ids.contains(id) {
            list.elements.append(Element(id: id, page: list.cursors.count))
        }
        list.isComplete = page.isEnd
        list.keepsCursor = page.isEnd && page.next != nil
        if let next = page.next { list.cursors.append(next) }
    }

    private mutating func finishReload(of number: Int, _ pages: [NaivePage]) {
        guard let base = reloads[number], base == nil || lists[number] != nil else { return }
        let current = list(number)
        let old = base ?? List()
        guard current.beginning == old.beginning, current.hasSamePages(as: old) else { return }
        var list = List()
        for page in pages {
            if list.isComplete { break }
            let place = list.cursors.last.map { Place.after($0) } ?? .first
            try? Self.merge(page, at: place, in: &list, operationCount)
            stored.formUnion(page.ids)
        }
        Self.edit(&list) { $0 = Self.edited($0, from: old.ids, to: current.ids) }
        write(list, number)
    }

    /// Makes the edits between two orders in another order, one by one.
    static func edited(_ order: [Book.ID], from base: [Book.ID], to ids: [Book.ID]) -> [Book.ID] {
        var inserted: Set<Book.ID> = []
        for case .insert(_, let id, _) in OrderDifference(from: base, to: ids).difference {
            // The server has removed an element that was moved.
            if base.contains(id), !order.contains(id) { continue }
            inserted.insert(id)
        }
        var result = order.filter { !inserted.contains($0) }
        result.removeAll { base.contains($0) && !ids.contains($0) }
        for (index, id) in ids.enumerated() where inserted.contains(id) {
            let neighbor = ids[..<index].last { result.contains($0) }
            let position = neighbor.flatMap { result.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
            result.insert(id, at: position)
        }
        return result
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
        Self.edit(&list, body)
        if list.ids != self.list(number).ids { write(list, number) }
    }

    private static func edit(_ list: inout List, _ body: (inout [Book.ID]) -> Void) {
        var ids = list.ids
        body(&ids)
        let pages = Dictionary(uniqueKeysWithValues: list.elements.map { ($0.id, $0.page) })
        list.elements = []
        let lastPage = list.lastPage
        for id in ids where !list.ids.contains(id) {
            list.elements.append(Element(id: id, page: pages[id] ?? lastPage))
        }
        // An element before an element of an earlier page belongs to that page now.
        var page = lastPage
        for index in list.elements.indices.reversed() {
            page = min(page, list.elements[index].page)
            list.elements[index].page = page
        }
    }

    private mutating func write(_ list: List, _ number: Int) {
        if !list.hasSameContent(as: self.list(number)) { lists[number] = list }
    }
}
