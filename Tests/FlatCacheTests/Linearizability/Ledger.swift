import FlatCache

/// An entity whose merge keeps the stored entries and appends the new ones.
///
/// It pauses while it is merged or compared.
struct Ledger: HistoryEntity, Equatable, Mergeable {
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

    func merged(with other: Ledger) -> Ledger {
        other.pause.take()
        return Ledger(number: id, entries: entries + other.entries, pausing: other.pause)
    }

    static func == (left: Ledger, right: Ledger) -> Bool {
        right.pause.take()
        return left.id == right.id && left.entries == right.entries
    }
}
