import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// A list whose pages are loaded and reloaded in random order, beside its model.
///
/// At most one call of each method runs at a time.
final class ReloadRun: RandomRun {
    struct Failure: Error {}

    /// The method of a call.
    enum Kind: String, CaseIterable {
        case next, previous, reload
    }

    /// A call, as the model expects it.
    struct Call {
        enum Phase {
            /// The call waits for the reload, and makes its request then.
            case waiting
            case requested(Int)
            /// The page has arrived, and waits for the reload.
            case held(NaivePage)
        }

        var phase: Phase
        /// The place of the requested page.
        var request: NaivePages.Request?
        /// The number of restarts before the request.
        var restarts: Int
        let task: Task<Bool, any Error>
        /// `true` if the caller has been cancelled, while another call still needs the reload.
        var isLeft = false
    }

    /// The reload of the model.
    struct Reload {
        var pages: [NaivePage] = []
        var fresh = NaivePages.List()
        let base: NaivePages.List
        let key: PageRequest
    }

    var random: SplitMix64
    let cache = Cache(configuration: .smallSegments)
    let list: CachedList<Book>
    let server = PageServer()
    var model = NaivePages()
    var operations: [String] = []
    let counts = EventCounts()
    var calls: [Kind: Call] = [:]
    var reload: Reload?
    var restarts = 0
    var requestCount = 0
    private var layer: OpenLayer?
    /// The number of cursors so far, so that most cursors are new.
    private var cursorCount = 0

    init(seed: Seed) {
        random = SplitMix64(seed: seed)
        list = cache.list("list", of: Book.self)
    }

    // MARK: Steps

    func step() async -> String? {
        var problem: String?
        switch random.below(20) {
        case 0...5: problem = await start(random.pick(Kind.allCases))
        case 6...11: problem = await answer(random.pick(Kind.allCases), isFailing: false)
        case 12: problem = await answer(random.pick(Kind.allCases), isFailing: true)
        case 13: problem = await cancel(random.pick(Kind.allCases))
        case 14: restart()
        case 15: changeLayer()
        default: edit()
        }
        return problem ?? difference
    }

    func end() async -> String? {
        layer?.rollBack()
        for call in calls.values { call.task.cancel() }
        for call in calls.values { _ = await call.task.result }
        let isIdle = await until(limit: modelStepTime) { cache.hasForgottenLoads }
        return isIdle ? difference : "Loads remain."
    }

    private var difference: String? {
        cache.core.checkInvariants()
        let state = cache.confirmed.get(ListState<Book>.self, id: "list")
        state?.checkInvariants()
        let expected = model.list(0)
        guard state?.ids ?? [] == expected.ids else {
            return "\(state?.ids ?? []), expected \(expected.ids)"
        }
        guard state?.next ?? .unknown == expected.next, state?.startCursor == expected.startCursor,
            state?.keepsLastCursor ?? false == expected.keepsCursor
        else { return "\(String(describing: state)), expected \(expected)" }
        return nil
    }

    private func edit() {
        let id = random.oneIn(3) ? 100 + random.below(8) : random.below(12)
        let ids = model.list(0).ids
        let operation: PageOperation
        switch random.below(5) {
        case 0: operation = .insert(list: 0, id, at: random.below(10))
        case 1: operation = .append(list: 0, [id])
        case 2: operation = .remove(list: 0, ids.isEmpty ? id : random.pick(ids))
        case 3:
            operation = .move(list: 0, ids.isEmpty ? id : random.pick(ids), to: random.below(10))
        default:
            let cursors = model.list(0).cursors
            guard random.oneIn(3), !cursors.isEmpty else { return }
            let cursor = random.pick(cursors)
            operation = .merge(list: 0, page(.next), asValues: false, after: cursor)
        }
        if reload != nil { counts.add("edited during a reload") }
        perform(operation)
        switch operation {
        case .insert(_, let id, let index): list.insert(Book(id: id), at: index)
        case .append(_, let ids): list.append(contentsOf: ids.map { Book(id: $0) })
        case .remove(_, let id): list.remove(id)
        case .move(_, let id, let index): list.move(id, to: index)
        case .merge(_, let page, _, let cursor):
            try? list.merge(page.page(asValues: false), after: cursor)
        default: break
        }
    }

    private func restart() {
        guard random.oneIn(2) else { return }
        let operation: PageOperation
        switch random.below(4) {
        case 0:
            operation = .removeAll(list: 0)
            list.removeAll()
            restarts += 1
        case 1:
            let ids = page(.next).ids
            operation = .replace(list: 0, ids)
            list.replace(with: ids.map { Book(id: $0) })
            restarts += 1
        case 2:
            operation = .removeEverything
            layer?.rollBack()
            layer = nil
            cache.removeAll()
            restarts += 1
        default:
            let page = page(.next)
            operation = .merge(list: 0, page, asValues: false, after: nil)
            try? list.merge(page.page(asValues: false), after: nil)
        }
        if reload != nil { counts.add("restarted during a reload") }
        perform(operation)
    }

    private func changeLayer() {
        if let layer {
            operations.append("roll back the layer")
            layer.rollBack()
            self.layer = nil
            return
        }
        operations.append("begin a layer")
        let id = random.below(12)
        layer = cache.beginLayer("Arrange") { layer in
            let list = layer.list("list", of: Book.self)
            list.prepend(200)
            list.remove(id)
            list.move((id + 1) % 12, after: nil)
        }
    }

    private func perform(_ operation: PageOperation) {
        operations.append(operation.description)
        model.perform(operation)
    }

    func page(_ kind: Kind) -> NaivePage {
        cursorCount += 1
        let first = kind == .previous ? 100 : 0
        var ids = (0..<random.below(4)).map { _ in first + random.below(kind == .previous ? 8 : 12)
        }
        if kind == .reload, random.oneIn(2) { ids.append(100 + random.below(8)) }
        // Some cursors repeat that of a page before.
        let number = max(0, random.oneIn(3) ? cursorCount - random.below(4) : cursorCount)
        return NaivePage(
            ids: ids,
            next: random.oneIn(6) ? nil : "n\(number)",
            isLast: random.oneIn(3),
            startCursor: random.oneIn(5) ? nil : "p\(number)"
        )
    }
}
