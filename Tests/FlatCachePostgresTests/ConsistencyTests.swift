#if canImport(CPostgres)
import FlatCache
import Foundation
import TestSupport
import Testing

@testable import FlatCachePostgres

@Suite(.needsPostgres) struct ConsistencyTests {
    private let server = PostgresServer.shared
    private let schema = PostgresServer.shared.newSchema()

    @Test("Each commit of each node shows whole writes", arguments: [0, 1])
    func transfers(_ round: Int) async throws {
        let nodes = [
            try await Node(schema, books: .atStart), try await Node(schema, books: .atStart),
            try await Node(schema, books: .atStart),
        ]
        let count = 6
        let total = count * 100
        try await nodes[0].graph.write { batch in
            for id in 0..<count { batch.insert(Book(id: id, title: "", copies: 100)) }
        }
        let torn = Recorder<Int>()
        let observations = nodes.map { node in
            node.cache.query(Book.self).observe { books in
                let sum = books.reduce(0) { $0 + $1.copies }
                if sum != total, sum != 0 { torn.append(sum) }
            }
        }
        defer { for observation in observations { observation.dispose() } }
        let running = nodes.map { node in Task { try await node.graph.run() } }
        defer { for task in running { task.cancel() } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<6 {
                group.addTask {
                    var random = SplitMix64(seed: Seed(UInt64(round)), stream: writer)
                    for _ in 0..<20 {
                        let from = Int.random(in: 0..<count, using: &random)
                        let to = (from + Int.random(in: 1..<count, using: &random)) % count
                        let amount = Int.random(in: 1...9, using: &random)
                        let fails = Int.random(in: 0..<20, using: &random) == 0
                        _ = try? await nodes[writer % 3].graph.write(attempts: 1_000) { batch in
                            guard var source = try await batch.get(Book.self, id: from),
                                var target = try await batch.get(Book.self, id: to)
                            else { throw Missing() }
                            source.copies -= amount
                            target.copies += amount
                            batch.set(source)
                            batch.set(target)
                            if fails { throw Missing() }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let rows = try server.session().run("SELECT id, value FROM \(schema).book ORDER BY id")
        for node in nodes {
            try await node.synchronize()
            for row in 0..<rows.count {
                let book = try JSONDecoder().decode(Book.self, from: Data(rows.text(row, 1).utf8))
                #expect(node.cache[Book.self, row] == book)
            }
        }
        #expect(torn.all.isEmpty)
        #expect(nodes.allSatisfy { $0.graph.statistics.lastError == nil })
    }

    @Test("Each version of each cache shows one sum over two types")
    func sums() async throws {
        for seed in RandomTestSettings(seeds: 4, hasThreads: true).seeds {
            let schema = server.newSchema()
            let make = {
                try await Node(schema) {
                    Replicated(Book.self, "book", load: .atStart)
                    Replicated(Order.self, "orders", load: .atStart)
                }
            }
            let nodes = [try await make(), try await make(), try await make()]
            let orders = (0..<4).map { _ in Order(id: UUID(), book: 100) }
            try await nodes[0].graph.write { batch in
                for id in 0..<4 { batch.insert(Book(id: id, title: "", copies: 100)) }
                for order in orders { batch.insert(order) }
            }
            let wrong = Recorder<String>()
            let versions = Recorder<Int>()
            for node in nodes { try await node.synchronize() }
            // An observer of each type sees all commits, also those that change one type.
            let observations = nodes.enumerated().flatMap { number, node in
                let check = { @Sendable [weak cache = node.cache] in
                    guard let cache else { return }
                    let sum = cache.withSnapshot { snapshot in
                        snapshot.values(of: Book.self).reduce(0) { $0 + $1.copies }
                            + snapshot.values(of: Order.self).reduce(0) { $0 + $1.book }
                    }
                    versions.append(number)
                    if sum != 800 { wrong.append("Node \(number) shows \(sum).") }
                }
                return [
                    node.cache.observeAll(Book.self) { _ in check() },
                    node.cache.observeAll(Order.self) { _ in check() },
                ]
            }
            defer { for observation in observations { observation.dispose() } }
            let running = nodes.map { node in Task { try await node.graph.run() } }
            defer { for task in running { task.cancel() } }
            await withTaskGroup(of: Void.self) { group in
                for writer in 0..<6 {
                    group.addTask {
                        var random = SplitMix64(seed: seed, stream: writer)
                        for _ in 0..<15 {
                            let (from, to) = (random.below(4), orders[random.below(4)].id)
                            let amount = random.number(in: -9...9)
                            let fails = random.oneIn(10)
                            _ = try? await nodes[writer % 3].graph.write(attempts: 1_000) { batch in
                                guard var book = try await batch.get(Book.self, id: from),
                                    var order = try await batch.get(Order.self, id: to)
                                else { throw Missing() }
                                book.copies -= amount
                                order.book += amount
                                batch.set(book)
                                batch.set(order)
                                if fails { throw Missing() }
                            }
                        }
                    }
                }
            }
            for node in nodes { try await node.synchronize() }
            var problems = Array(wrong.all.prefix(3))
            for (number, node) in nodes.enumerated() {
                if !versions.all.contains(number) { problems.append("Node \(number) saw nothing.") }
                for id in 0..<4 where node.cache[Book.self, id] != nodes[0].cache[Book.self, id] {
                    problems.append("Node \(number) shows another book \(id).")
                }
            }
            FailureReport(seed: seed, problems: problems)?.record()
        }
    }

    /// Random writes of two nodes, one of which loads books at the start, against a dictionary.
    @Test("Random writes leave all nodes with the same rows")
    func model() async throws {
        for seed in RandomTestSettings(seeds: 3).seeds {
            let schema = server.newSchema()
            let nodes = [try await Node(schema), try await Node(schema, books: .atStart)]
            var random = SplitMix64(seed: seed)
            var books: [Int: Book] = [:]
            var authors: [String: Author] = [:]
            for step in 0..<40 {
                let node = nodes[Int.random(in: 0...1, using: &random)]
                let operations = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                    (Int.random(in: 0..<6, using: &random), Int.random(in: 0..<4, using: &random))
                }
                let fails = Int.random(in: 0..<8, using: &random) == 0
                do {
                    let changed = try await node.graph.write { [books, authors] batch in
                        var (books, authors) = (books, authors)
                        for (id, kind) in operations {
                            let book = try await batch.get(Book.self, id: id)
                            let author = try await batch.get(Author.self, id: "a\(id)")
                            guard book == books[id], author == authors["a\(id)"] else {
                                throw Difference(description: "\(id): \(book as Any)")
                            }
                            let new = Book(id: id, title: "\(step)", copies: kind)
                            switch (kind, book) {
                            case (0, .some):
                                batch.remove(Book.self, id: id)
                                books[id] = nil
                            case (_, .some):
                                batch.set(new)
                                books[id] = new
                            case (_, nil):
                                batch.insert(new)
                                books[id] = new
                            }
                            if kind == 3, author == nil {
                                let author = Author(id: "a\(id)", name: "\(step)")
                                batch.insert(author)
                                authors[author.id] = author
                            }
                        }
                        if fails { throw Missing() }
                        return (books, authors)
                    }.value
                    (books, authors) = changed
                } catch is Missing {}
                let whole = nodes[1]
                try await whole.synchronize()
                let expected = books
                #expect(
                    whole.cache.query(Book.self).elements.map(\.id).sorted()
                        == expected.keys.sorted(),
                    "\(seed), step \(step)"
                )
                try await nodes[0].synchronize()
                for id in 0..<6 {
                    #expect(whole.cache[Book.self, id] == books[id], "\(seed), step \(step)")
                    if let book = nodes[0].cache[Book.self, id] {
                        #expect(book == books[id], "\(seed), step \(step)")
                    }
                    let loaded = try await nodes[0].cache.load(Author.self, id: "a\(id)")
                    #expect(loaded == authors["a\(id)"], "\(seed), step \(step)")
                }
            }
        }
    }

    private struct Difference: Error, CustomStringConvertible { let description: String }
}
#endif
