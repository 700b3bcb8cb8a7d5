import FlatCache

extension Row {
    /// Rows that load entities, with requests that take no time of their own.
    static let loadingRows = [
        Row(
            "28a",
            "1,000 tasks that load one missing entity, per task",
            against: "a locked dictionary of tasks",
            contest: { missingEntity($0(slow: 50)) }
        ),
        Row(
            "28b",
            "1,000 tasks that wait for one load, per task",
            against: "the same number that await one task",
            contest: { waitingTasks($0(slow: 50)) }
        ),
        Row(
            "28c",
            "1,000 tasks that load an entity each, per task",
            against: "the same number that set one each",
            contest: { missingEntities($0(slow: 50)) }
        ),
        Row(
            "28d",
            "load of a fresh entity, 100,000 entities",
            against: "freshness(of:id:), then get",
            contest: freshEntities
        ),
        Row(
            "28e",
            "load of 100 missing entities, per entity",
            against: "set(contentsOf:) of the same",
            contest: missingGroups
        ),
        Row(
            "28f",
            "set that replaces, 100,000 entities, while a load runs",
            against: "FlatCache without a load",
            contest: setsDuringALoad
        ),
        Row(
            "28g",
            "set(contentsOf: 10,000 entities), while a load runs, per entity",
            against: "FlatCache without a load",
            contest: ingestsDuringALoad
        ),
    ]

    private static let taskCount = 1_000

    // MARK: Contests

    private static func missingEntity(_ repetitions: Int) -> Contest {
        Contest {
            total(repetitions) {
                let tasks = LoadingTasks<Book<Int>>()
                return time(ofTasks: taskCount) { _ in
                    blackHole(await tasks.load(1, slowBook))
                }
            }
        } subject: {
            total(repetitions) {
                let cache = Cache()
                return time(ofTasks: taskCount) { _ in
                    blackHole(try await cache.load(Book<Int>.self, id: 1) { await slowBook(1) })
                }
            }
        }
    }

    private static func waitingTasks(_ repetitions: Int) -> Contest {
        Contest {
            total(repetitions) {
                let gate = TaskGate(openingAfter: taskCount)
                let task = Task {
                    await gate.wait()
                    return Book(id: 1, number: 1)
                }
                return time(ofTasks: taskCount) { _ in
                    gate.arrive()
                    blackHole(await task.value)
                }
            }
        } subject: {
            // One cache, since the table isn't a cost of a waiting task.
            let cache = Cache()
            return total(repetitions) {
                let gate = TaskGate(openingAfter: taskCount)
                cache.remove(Book<Int>.self, id: 1)
                return time(ofTasks: taskCount) { _ in
                    gate.arrive()
                    let book = try await cache.load(Book<Int>.self, id: 1) {
                        await gate.wait()
                        return Book(id: 1, number: 1)
                    }
                    blackHole(book)
                }
            }
        }
    }

    private static func missingEntities(_ repetitions: Int) -> Contest {
        let books = Book.books(0..<taskCount)
        return Contest {
            total(repetitions) {
                let cache = Cache()
                return time(ofTasks: taskCount) { blackHole(cache.set(books[$0])) }
            }
        } subject: {
            total(repetitions) {
                let cache = Cache()
                return time(ofTasks: taskCount) { number in
                    blackHole(
                        try await cache.load(Book<Int>.self, id: number) { books[number] }
                    )
                }
            }
        }
    }

    private static func freshEntities(_ scale: Scale) -> Contest {
        let ids = 0..<scale(100_000)
        let cache = Cache()
        cache.set(contentsOf: Book.books(ids))
        let order = randomOrder(of: Array(ids), count: scale(200_000))
        return Contest {
            Stopwatch.nanoseconds(per: order.count) {
                for id in order {
                    if cache.freshness(of: Book<Int>.self, id: id).isFresh {
                        blackHole(cache.get(Book<Int>.self, id: id))
                    }
                }
            }
        } subject: {
            time(ofTasks: 1) { _ in
                for id in order {
                    blackHole(try await cache.load(Book<Int>.self, id: id) { nil })
                }
            } / Double(order.count)
        }
    }

    private static func missingGroups(_ scale: Scale) -> Contest {
        let size = 100
        let groups = (0..<scale(100_000) / size).map { number in
            Book.books(number * size..<(number + 1) * size)
        }
        let count = Double(groups.count * size)
        return Contest {
            let cache = Cache()
            return time(ofTasks: 1) { _ in
                for books in groups { blackHole(cache.set(contentsOf: books)) }
            } / count
        } subject: {
            let cache = Cache()
            return time(ofTasks: 1) { _ in
                for books in groups {
                    blackHole(
                        try await cache.load(Book<Int>.self, ids: books.map(\.id)) { _ in books }
                    )
                }
            } / count
        }
    }

    private static func setsDuringALoad(_ scale: Scale) -> Contest {
        let ids = 0..<scale(100_000)
        let (idle, loading) = caches(Book.books(ids))
        let incoming = randomOrder(of: Book.books(ids, edition: 1), count: scale(200_000))
        func measure(_ cache: Cache) -> Double {
            Stopwatch.nanoseconds(per: incoming.count) {
                for book in incoming { blackHole(cache.set(book)) }
            }
        }
        return Contest {
            measure(idle)
        } subject: {
            measure(loading)
        }
    }

    private static func ingestsDuringALoad(_ scale: Scale) -> Contest {
        let ids = 0..<scale(10_000)
        let (idle, loading) = caches(Book.books(ids))
        let editions = [Book.books(ids, edition: 1), Book.books(ids, edition: 2)]
        func measure(_ cache: Cache) -> Double {
            Stopwatch.nanoseconds(per: 2 * ids.count) {
                for books in editions { blackHole(cache.set(contentsOf: books)) }
            }
        }
        return Contest {
            measure(idle)
        } subject: {
            measure(loading)
        }
    }

    // MARK: Parts

    /// Returns the number of nanoseconds per task of tasks that run at the same time.
    private static func time(
        ofTasks count: Int,
        _ body: @escaping @Sendable (Int) async throws -> Void
    ) -> Double {
        let arrivals = Arrivals()
        return Stopwatch.nanoseconds(per: count) {
            arrivals.wait(for: count) {
                for number in 0..<count {
                    Task {
                        do { try await body(number) } catch { Failures.note(error) }
                        arrivals.add()
                    }
                }
            }
        }
    }

    /// Returns the mean of repeated measurements.
    private static func total(_ repetitions: Int, _ measure: () -> Double) -> Double {
        (0..<repetitions).reduce(0) { sum, _ in sum + measure() } / Double(repetitions)
    }

    /// Returns two caches with values, the second of which loads an entity without end.
    private static func caches(_ books: [Book<Int>]) -> (idle: Cache, loading: Cache) {
        let (idle, loading) = (Cache(), Cache())
        idle.set(contentsOf: books)
        loading.set(contentsOf: books)
        let arrivals = Arrivals()
        arrivals.wait(for: 1) {
            Task {
                try await loading.load(Book<Int>.self, id: -1) {
                    arrivals.add()
                    await TaskGate(openingAfter: 1).wait()
                    return nil
                }
            }
        }
        return (idle, loading)
    }

    /// Returns a book after other tasks have had their turn.
    @Sendable private static func slowBook(_ id: Int) async -> Book<Int> {
        await Task.yield()
        return Book(id: id, number: id)
    }
}
