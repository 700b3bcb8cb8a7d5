@testable import FlatCacheTestSupport

/// An entity that isn't `Mergeable` and whose identifier pauses while the cache looks it up.
struct ReplacingList: HistoryEntity {
    /// An identifier that pauses while it is hashed or compared.
    struct Name: Hashable, Sendable {
        let number: Int
        let pause: Pause

        static func == (left: Name, right: Name) -> Bool {
            left.pause.take()
            right.pause.take()
            return left.number == right.number
        }

        func hash(into hasher: inout Hasher) {
            pause.take()
            hasher.combine(number)
        }
    }

    let id: Name
    var entries: [Int]

    init(number: Int, entries: [Int], pausing pause: Pause) {
        id = Name(number: number, pause: pause)
        self.entries = entries
    }

    static func id(_ number: Int, pausing pause: Pause) -> Name {
        Name(number: number, pause: pause)
    }

    static func number(of id: Name) -> Int { id.number }
}
