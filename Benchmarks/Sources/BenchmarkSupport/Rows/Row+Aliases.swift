import FlatCache
import Synchronization

extension Row {
    /// Rows that read the entity of an alias.
    static let aliasRows = [
        Row(
            "15n",
            "alias.value, 1,000 aliases",
            against: "two lookups under one Mutex"
        ) { scale in
            let readings = scale(500_000)
            let books = Book.books(0..<1_000)
            let names = books.map { Texts.identifier($0.id) }
            let order = randomOrder(of: names, count: readings)
            let baseline = NamedDictionary(books, names)
            let cache = Cache()
            let aliases = names.map { cache.alias($0, of: Book<Int>.self) }
            for (book, alias) in zip(books, aliases) { alias.set(book) }
            let byName = Dictionary(uniqueKeysWithValues: zip(names, aliases))
            let orderedAliases = order.compactMap { byName[$0] }
            return Contest {
                Stopwatch.nanoseconds(per: readings) { readAll(baseline, order) }
            } subject: {
                // The aliases don't keep the cache.
                withExtendedLifetime(cache) {
                    Stopwatch.nanoseconds(per: readings) { readAll(orderedAliases) }
                }
            }
        }
    ]

    @inline(never)
    private static func readAll(_ dictionary: NamedDictionary, _ names: [String]) {
        for name in names { use(dictionary.get(name)) }
    }

    @inline(never)
    private static func readAll(_ aliases: [CachedAlias<Book<Int>>]) {
        for alias in aliases { use(alias.value) }
    }

    /// Uses a book, and traps if there is none.
    private static func use(_ book: Book<Int>?) {
        precondition(book != nil, "An alias points to no entity.")
        blackHole(book)
    }
}

/// A locked dictionary whose values also have names.
private final class NamedDictionary: Sendable {
    private struct State {
        var ids: [String: Int]
        var books: [Int: Book<Int>]
    }

    private let state: Mutex<State>

    init(_ books: [Book<Int>], _ names: [String]) {
        state = Mutex(
            State(
                ids: Dictionary(uniqueKeysWithValues: zip(names, books.map(\.id))),
                books: Dictionary(uniqueKeysWithValues: books.map { ($0.id, $0) })
            )
        )
    }

    @inline(__always)
    func get(_ name: String) -> Book<Int>? {
        state.withLock { state in state.ids[name].flatMap { state.books[$0] } }
    }
}
