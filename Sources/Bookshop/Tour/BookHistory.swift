import FlatCache

/// The facts about a book, its author and its publisher, with the source of each.
struct BookHistory {
    /// The current state of a fact.
    struct Fact: Equatable {
        let name: String
        var value: String

        /// The file that contained the value.
        var source: String

        /// The value before this one.
        var previous: String?
    }

    let id: Book.ID
    private(set) var facts: [Fact] = []

    init(id: Book.ID) {
        self.id = id
    }

    /// The files that contained a current value.
    var sources: Set<String> { Set(facts.map(\.source)) }

    /// Compares the cache with the known facts, and records a file as the source of every
    /// difference.
    mutating func record(_ cache: some ReadableCache, after file: String) {
        facts = Self.read(id, from: cache).map { name, value in
            guard let known = facts.first(where: { $0.name == name }) else {
                return Fact(name: name, value: value, source: file)
            }
            guard known.value != value else { return known }
            return Fact(name: name, value: value, source: file, previous: known.value)
        }
    }

    private static func read(
        _ id: Book.ID,
        from cache: some ReadableCache
    ) -> [(name: String, value: String)] {
        guard let book: Book = cache.get(id) else { return [] }
        let author = book.author.flatMap { cache.get(Author.self, id: $0.id) }
        let publisher = book.publisher.flatMap { cache.get(Publisher.self, id: $0.id) }
        let all: [(name: String, value: String?)] = [
            ("title", book.title),
            ("year", book.year.map(String.init)),
            ("language", book.language),
            ("genre", book.genre),
            ("author", author?.name),
            ("born", author?.born.map(String.init)),
            ("birthplace", author?.birthplace),
            ("publisher", publisher?.name),
            ("city", publisher?.city),
        ]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }
}
