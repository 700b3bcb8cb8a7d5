@testable import FlatCache
@testable import FlatCacheTestSupport

/// A generator of random operations on lists of pages, which are the same for the same seed.
struct PageGenerator {
    private var random: SplitMix64
    private let listCount: Int

    init(seed: Seed, listCount: Int) {
        random = SplitMix64(seed: seed)
        self.listCount = listCount
    }

    mutating func operations(count: Int) -> [PageOperation] {
        (0..<count).map { _ in operation(depth: 0) }
    }

    private mutating func operation(depth: Int) -> PageOperation {
        let list = random.below(listCount)
        switch random.below(depth < 2 ? 42 : 39) {
        case 0...10:
            return .merge(
                list: list,
                page(endsIn: 6),
                asValues: random.oneIn(2),
                after: random.oneIn(4) ? nil : cursor()
            )
        case 11...13:
            return depth == 0
                ? .request(list: list, previous: random.oneIn(3)) : .reverse(list: list)
        case 14...16: return .answer(list: list, page(endsIn: 4))
        case 33...35: return depth == 0 ? .reload(list: list) : .reverse(list: list)
        case 36...38:
            let pages = (0...random.below(3)).map { _ in page(endsIn: 8) }
            return .finishReload(list: list, pages)
        case 17: return .replace(list: list, ids(upTo: 5))
        case 18: return .removeAll(list: list)
        case 19...20: return .setIDs(list: list, ids(upTo: 8))
        case 21...23: return .insert(list: list, id(), at: random.below(10))
        case 24...25: return .append(list: list, ids(upTo: 3))
        case 26...28: return .remove(list: list, id())
        case 29...31: return .move(list: list, id(), to: random.below(10))
        case 32: return random.oneIn(3) ? .removeEverything : .reverse(list: list)
        default:
            let count = random.below(6)
            let operations = (0..<count).map { _ in operation(depth: depth + 1) }
            return .batch(operations, isThrowing: random.oneIn(4))
        }
    }

    private mutating func page(endsIn count: Int) -> NaivePage {
        NaivePage(
            ids: ids(upTo: 5),
            next: random.oneIn(count) ? nil : cursor(),
            isLast: random.oneIn(4),
            startCursor: random.oneIn(2) ? nil : cursor()
        )
    }

    // A few of each, so that pages overlap and cursors are often known.
    private mutating func id() -> Book.ID { random.below(12) }

    private mutating func cursor() -> String { random.pick(["b", "c", "d", "e"]) }

    private mutating func ids(upTo count: Int) -> [Book.ID] {
        (0..<random.number(in: 0...count)).map { _ in id() }
    }
}
