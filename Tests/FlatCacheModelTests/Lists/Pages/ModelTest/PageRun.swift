@testable import FlatCache
@testable import FlatCacheTestSupport

/// The lists of a cache beside their naive model.
struct PageRun: ModelComparison {
    private struct Refusal: Error {}

    static let listCount = 2

    private let cache = Cache(configuration: .smallSegments)
    private let lists: [CachedList<Book>]
    private let changes: [Recorder<ListChange<Book>>]
    private let observations: [Disposable]
    private var requests: [Int: PageRequest] = [:]
    private var model = NaivePages()

    init() {
        lists = (0..<Self.listCount).map { [cache] in cache.list("list \($0)", of: Book.self) }
        changes = lists.map { _ in Recorder() }
        observations = zip(lists, changes).map { list, changes in
            list.following(.none).observeChanges { changes.append($0) }
        }
    }

    mutating func difference(after operation: PageOperation) -> String? {
        let before = model
        let version = cache.version
        for changes in changes { changes.removeAll() }
        model.perform(operation)
        do {
            try perform(operation)
        } catch {
            // An unknown cursor, or a batch that throws.
        }
        cache.core.checkInvariants()
        let hasChanged = !model.hasSameContent(as: before)
        guard cache.version == version + (hasChanged ? 1 : 0) else {
            return "\(cache.version - version) commits, expected a change: \(hasChanged)"
        }
        let stored = Set(cache.ids(of: Book.self))
        guard stored == model.stored else { return "stored \(stored), expected \(model.stored)" }
        for number in lists.indices {
            if let difference = differenceOfList(number, since: before) {
                return "list \(number): \(difference)"
            }
        }
        return nil
    }

    private func differenceOfList(_ number: Int, since before: NaivePages) -> String? {
        let list = lists[number]
        let (old, expected) = (before.list(number), model.list(number))
        list.storage.value?.checkInvariants()
        guard list.ids == expected.ids else { return "\(list.ids), expected \(expected.ids)" }
        guard list.next == expected.next else { return "\(list.next), expected \(expected.next)" }
        let elements = expected.ids.filter { model.stored.contains($0) }
        guard list.elements.map(\.id) == elements else {
            return "elements \(list.elements), expected \(elements)"
        }
        guard !expected.hasSameContent(as: old) else { return nil }
        guard let change = changes[number].all.first, changes[number].count == 1 else {
            return "notified \(changes[number].all), expected one change"
        }
        guard change.oldIDs == old.ids, change.ids == expected.ids, change.oldNext == old.next,
            change.next == expected.next
        else { return "notified \(change), expected from \(old) to \(expected)" }
        return nil
    }

    private mutating func perform(_ operation: PageOperation) throws {
        switch operation {
        case .merge(let list, let ids, let asValues, let cursor, let next):
            if asValues {
                try lists[list].merge(ids.map { Book(id: $0) }, after: cursor, next: next)
            } else {
                try lists[list].merge(ids.map { Related($0) }, after: cursor, next: next)
            }
        case .request(let list): requests[list] = lists[list].nextRequest
        case .answer(let list, let ids, let next):
            guard let request = requests[list], request.next != .end else { return }
            let page = ListPage(ids.map { Book(id: $0) }, next: next)
            try lists[list].merge(page, after: request.next.cursor, answering: request)
        case .replace(let list, let ids): lists[list].replace(with: ids.map { Book(id: $0) })
        case .removeAll(let list): lists[list].removeAll()
        case .setIDs(let list, let ids): lists[list].ids = ids
        case .insert(let list, let id, let index): lists[list].insert(Book(id: id), at: index)
        case .append(let list, let ids): lists[list].append(contentsOf: ids.map { Book(id: $0) })
        case .remove(let list, let id): lists[list].remove(id)
        case .move(let list, let id, let index): lists[list].move(id, to: index)
        case .reverse(let list): lists[list].update { $0.reverse() }
        case .removeEverything: cache.removeAll()
        case .batch(let operations, let isThrowing):
            try cache.performBatchUpdates { _ in
                for operation in operations { try? perform(operation) }
                if isThrowing { throw Refusal() }
            }
        }
    }
}
