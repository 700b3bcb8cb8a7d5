import FlatCache

/// An author that refers to its books, which refer to the author.
struct Writer: Identifiable, Sendable, HasCachedRelationships {
    let id: Int
    var name: String
    var works: [Related<Work>]

    var relatedCacheKeys: Set<CacheKey> { Set(works.map(\.cacheKey)) }
}

/// A book that refers to its authors, which refer to the book.
struct Work: Identifiable, Sendable, HasCachedRelationships {
    let id: Int
    var title: String
    var writers: [Related<Writer>]

    var relatedCacheKeys: Set<CacheKey> { Set(writers.map(\.cacheKey)) }
}

/// Authors and books that refer to each other and form one connected component.
struct TwoWayGraph {
    /// A member of the graph.
    enum Member {
        case writer(Writer)
        case work(Work)
    }

    private(set) var writers: [Writer] = []
    private(set) var works: [Work] = []

    /// Creates a graph with one author for every four books.
    ///
    /// Each book has two neighboring authors, which connects the graph.
    init(members: Int) {
        let writerCount = max(2, members / 5)
        writers = (0..<writerCount).map {
            Writer(id: $0, name: Texts.title($0), works: [])
        }
        works = (0..<(members - writerCount)).map { number in
            let authors = [number % writerCount, (number + 1) % writerCount]
            for author in authors { writers[author].works.append(Related(number)) }
            return Work(
                id: number,
                title: Texts.title(number),
                writers: authors.map { Related($0) }
            )
        }
    }

    /// Returns members chosen at random, each with a new text.
    func changedMembers(count: Int, random: inout SeededGenerator) -> [Member] {
        (0..<count).map { edition in
            let index = Int.random(in: 0..<(writers.count + works.count), using: &random)
            if index < writers.count {
                var writer = writers[index]
                writer.name = Texts.title(index, edition: edition + 1)
                return .writer(writer)
            }
            var work = works[index - writers.count]
            work.title = Texts.title(index, edition: edition + 1)
            return .work(work)
        }
    }

    /// Returns a book and its authors, and the same without the relationships between them.
    func departure(
        of index: Int
    ) -> (before: (work: Work, writers: [Writer]), after: (work: Work, writers: [Writer])) {
        let before = (work: works[index], writers: works[index].writers.map { writers[$0.id] })
        var after = before
        after.work.writers = []
        for index in after.writers.indices {
            after.writers[index].works.removeAll { $0.id == before.work.id }
        }
        return (before, after)
    }
}
