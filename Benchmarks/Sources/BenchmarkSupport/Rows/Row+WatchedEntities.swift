import FlatCache

extension Row {
    /// Rows about observations that reach many entities.
    static let watchedEntityRows = [
        Row(
            "29a",
            "building an observed chain of 10,000 links, one commit per link, per link",
            against: "the same up to 1,000 links",
            target: 2
        ) { scale in
            let links = scale(10_000)
            return Contest {
                (0..<10).reduce(0) { sum, _ in sum + buildChain(links: links / 10) } / 10
            } subject: {
                buildChain(links: links)
            }
        },
        Row(
            "29b",
            "dispose of an observed chain of 1,000,000, per entity",
            against: "release of a dictionary of as many closures"
        ) { scale in
            let links = scale(1_000_000)
            let cache = Cache()
            cache.set(contentsOf: (0..<links).lazy.map { link($0, isLast: $0 == links - 1) })
            return Contest {
                var made = closures(count: links)
                return Stopwatch.nanoseconds(per: links) { made = [:] }
            } subject: {
                let token = cache.cached(ChainLink.self, id: 0).observe { blackHole($0) }
                return Stopwatch.nanoseconds(per: links) { token.dispose() }
            }
        },
        Row(
            "29c",
            "observeChanges of a list of 1,000,000 elements, per element",
            against: "a dictionary of as many closures"
        ) { scale in
            let elements = scale(1_000_000)
            let cache = Cache()
            cache.list("shelf", of: Book<Int>.self).replace(with: Book.books(0..<elements))
            return Contest {
                let (made, nanoseconds) = Stopwatch.time { closures(count: elements) }
                precondition(made.count == elements, "A closure is missing.")
                return nanoseconds / Double(elements)
            } subject: {
                // The closure keeps the cache alive, which a list doesn't.
                let list = cache.list("shelf", of: Book<Int>.self)
                let (token, nanoseconds) = Stopwatch.time { list.observeChanges { blackHole($0) } }
                token.dispose()
                return nanoseconds / Double(elements)
            }
        },
    ]

    /// Returns the nanoseconds per link of storing an observed chain from its head on.
    private static func buildChain(links: Int) -> Double {
        let cache = Cache()
        let tally = Tally()
        cache.set(link(0, isLast: false))
        let token = cache.cached(ChainLink.self, id: 0).observe { _ in tally.add() }
        return Stopwatch.nanoseconds(per: links) {
            for id in 1...links { cache.set(link(id, isLast: id == links)) }
            tally.check(links)
            token.dispose()
        }
    }

    private static func link(_ id: Int, isLast: Bool) -> ChainLink {
        ChainLink(id: id, title: Texts.title(id), next: isLast ? nil : Related(id + 1))
    }

    private static func closures(count: Int) -> [CacheKey: @Sendable (Int) -> Void] {
        let tally = Tally()
        var closures: [CacheKey: @Sendable (Int) -> Void] = [:]
        for id in 0..<count {
            closures[CacheKey(ChainLink.self, id: id)] = { number in
                if number == id { tally.add() }
            }
        }
        return closures
    }
}
