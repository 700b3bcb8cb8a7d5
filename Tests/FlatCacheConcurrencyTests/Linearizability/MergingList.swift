import FlatCache

@testable import FlatCacheTestSupport

/// An entity whose merge keeps the stored entries and appends the new ones.
///
/// It pauses while it is merged or compared.
struct MergingList: HistoryEntity, Equatable, Mergeable {
    let id: Int
    var entries: [Int]
    private let pause: Pause

    init(number: Int, entries: [Int], pausing pause: Pause) {
        id = number
        self.entries = entries
        self.pause = pause
    }

    static func id(_ number: Int, pausing pause: Pause) -> Int { number }

    static func number(of id: Int) -> Int { id }

    func merged(with other: MergingList) -> MergingList {
        other.pause.take()
        return MergingList(number: id, entries: entries + other.entries, pausing: other.pause)
    }

    static func == (left: MergingList, right: MergingList) -> Bool {
        right.pause.take()
        return left.id == right.id && left.entries == right.entries
    }
}
