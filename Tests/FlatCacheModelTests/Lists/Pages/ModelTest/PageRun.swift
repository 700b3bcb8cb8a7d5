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
    private var reloads: [Int: ListState<Book>?] = [:]
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
        guard list.startCursor == expected.startCursor else {
            return "startCursor \(list.startCursor ?? "-"), expected \(expected.startCursor ?? "-")"
        }
        let keepsCursor = list.storage.value?.keepsLastCursor ?? false
        guard keepsCursor == expected.keepsCursor else { return "keeps its cursor: \(keepsCursor)" }
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
        case .merge(let list, let page, let asValues, let cursor):
            try lists[list].merge(page.page(asValues: asValues), after: cursor)
        case .request(let list, let isPrevious):
            requests[list] = lists[list].request {
                isPrevious ? $0.startCursor.map { .before($0) } : $0.nextPlace
            }
        case .answer(let list, let page):
            guard let request = requests[list] else { return }
            try lists[list].merge(page.page(asValues: true), at: request.place) { written in
                written.matches(request) ? nil : .dropped
            }
        case .reload(let list): reloads[list] = .some(lists[list].storage.value)
        case .finishReload(let list, let pages): finishReload(of: list, pages)
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

    /// Applies pages to a list as its reload does.
    private func finishReload(of number: Int, _ pages: [NaivePage]) {
        guard let base = reloads[number] else { return }
        let list = lists[number]
        var state = list.emptyState
        var stored: [NaivePage] = []
        for page in pages {
            guard !state.isComplete, let place = state.nextPlace else { break }
            stored.append(page)
            let longer = state.merging(
                page.page(asValues: true),
                at: place,
                pinsElements: true,
                version: 0
            )
            state = longer ?? state
        }
        cache.core.write("a test") { _ in
            // Nothing was written since this lease.
            let lease = Lease(number: .max)
            _ = list.apply(ReloadedPages(base: base, state: state), since: lease) {
                _ = cache.core.set(contentsOf: stored.flatMap { $0.page(asValues: true).values })
                return true
            }
        }
    }
}
