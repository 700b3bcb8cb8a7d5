// A client that uses the publishers, in a package that turns the trait on.
import FlatCache
import FlatCacheCombine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

struct Book: Identifiable, Sendable {
    var id: Int
    var title: String
}

extension Cache {
    var bookOfTheDay: CachedAlias<Book> { alias("bookOfTheDay", of: Book.self) }
}

@MainActor
final class Shelf {
    private(set) var lines: [String] = []
    private var subscriptions: Set<AnyCancellable> = []

    init(cache: Cache) {
        cache.cached(Book.self, id: 1).publisher
            .map { $0?.title ?? "none" }
            .sink { [weak self] in self?.lines.append("book: \($0)") }
            .store(in: &subscriptions)
        cache.list("shelf", of: Book.self).publisher
            .sink { [weak self] in self?.lines.append("shelf: \($0.count)") }
            .store(in: &subscriptions)
        cache.bookOfTheDay.publisher
            .sink { [weak self] book in
                self?.lines.append("day: \(book?.title ?? "none")")
            }
            .store(in: &subscriptions)
    }
}

let cache = Cache()
let shelf = Shelf(cache: cache)
cache.list("shelf", of: Book.self).replace(with: [Book(id: 1, title: "Solaris")])
cache.bookOfTheDay.target = 1
let expected = [
    "book: none", "shelf: 0", "day: none", "book: Solaris", "shelf: 1", "day: Solaris",
]
guard shelf.lines == expected else { fatalError("heard \(shelf.lines)") }
print("ok  publishers")
