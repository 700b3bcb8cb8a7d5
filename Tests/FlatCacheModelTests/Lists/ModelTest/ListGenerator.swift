@testable import FlatCache
@testable import FlatCacheTestSupport

/// A generator of random operations on lists, which are the same for the same seed.
struct ListGenerator {
    private var random: SplitMix64
    private let listCount: Int

    init(seed: Seed, listCount: Int) {
        random = SplitMix64(seed: seed)
        self.listCount = listCount
    }

    mutating func operations(count: Int) -> [ListOperation] {
        (0..<count).map { _ in operation(depth: 0) }
    }

    private mutating func operation(depth: Int) -> ListOperation {
        let list = random.below(listCount)
        switch random.below(depth < 2 ? 34 : 30) {
        case 0...1: return .replace(list: list, books(upTo: 6))
        case 2...5: return .append(list: list, books(upTo: 4))
        case 6...8: return .insert(list: list, book(), at: random.below(8))
        case 9...11: return .remove(list: list, id())
        case 12...14: return .move(list: list, id(), to: random.below(8))
        case 15: return .removeAll(list: list)
        case 16...18: return .setIDs(list: list, ids())
        case 19: return .reverse(list: list)
        case 20...25: return .setValue(book())
        case 26...27: return .removeValue(id())
        case 28: return random.oneIn(3) ? .removeEverything : .reverse(list: list)
        case 29: return random.oneIn(2) ? .prune : .reverse(list: list)
        case 30...32:
            return .batch(inner(depth: depth), isThrowing: random.oneIn(4))
        default:
            return .update(
                list: list,
                inner(depth: depth),
                leaving: ids(),
                isThrowing: random.oneIn(4)
            )
        }
    }

    private mutating func inner(depth: Int) -> [ListOperation] {
        (0..<random.below(6)).map { _ in operation(depth: depth + 1) }
    }

    // Few identifiers, so that lists share elements and operations conflict.
    private mutating func id() -> Book.ID { random.below(9) }

    private mutating func ids() -> [Book.ID] { (0..<random.below(7)).map { _ in id() } }

    private mutating func books(upTo count: Int) -> [Book] {
        (0..<random.number(in: 0...count)).map { _ in book() }
    }

    /// Returns a partial value, which is merged into the stored one.
    private mutating func book() -> Book {
        Book(
            id: id(),
            year: random.oneIn(2) ? nil : random.below(3),
            sequel: random.oneIn(3) ? id() : nil
        )
    }
}
