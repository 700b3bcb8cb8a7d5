import FlatCache

extension Row {
    /// Rows that measure the longest of many writes, as a multiple of its goal.
    static let worstCaseRows =
        [
            worstCase("30a", "set, longest while a table grows to 1,000,000") { scale, worst in
                grow(to: scale(1_000_000), measuredBy: &worst)
            },
            worstCase("30b", "the same to 3,400,000") { scale, worst in
                grow(to: scale(3_400_000), measuredBy: &worst)
            },
            worstCase("30c", "set of new ones, longest at .count(100,000)") { scale, worst in
                replaceAll(limitedTo: scale(100_000), times: 4, measuredBy: &worst)
            },
            worstCase("30d", "the same at .count(1,000,000)") { scale, worst in
                replaceAll(limitedTo: scale(1_000_000), times: 2, measuredBy: &worst)
            },
            worstCase("30e", "remove and set, longest at 1,000,000, no limit") { scale, worst in
                removeAndSet(at: scale(1_000_000), measuredBy: &worst)
            },
            worstCase("30f", "set, longest under a snapshot, 1,000,000") { scale, worst in
                overwriteUnderSnapshot(scale(1_000_000), measuredBy: &worst)
            },
            worstCase("30g", "set(_:modifiedAt:), longest up to 1,000,000") { scale, worst in
                growStamped(to: scale(1_000_000), measuredBy: &worst)
            },
            worstCase("30h", "pin, longest up to 1,000,000 pins") { scale, worst in
                pin(scale(1_000_000), measuredBy: &worst)
            },
            worstCase("30i", "set, longest in an observed chain of 1,000,000") { scale, worst in
                buildObservedChain(links: scale(1_000_000), measuredBy: &worst)
            },
            worstCase("30o", "observe, longest up to 1,000,000 dependents of one") { scale, worst in
                _ = observeDependents(scale(1_000_000), measuredBy: &worst)
            },
            worstCase("30p", "dispose, longest of these 1,000,000") { scale, worst in
                var unused = WorstCase()
                let (cache, tokens) = observeDependents(scale(1_000_000), measuredBy: &unused)
                // The last token would otherwise release the cache with all of its values.
                withExtendedLifetime(cache) {
                    for token in tokens { worst.measure { token.dispose() } }
                }
            },
            worstCase("30q", "the first invalidate(_:) of 1,000,000") { scale, worst in
                let cache = Cache()
                cache.set(contentsOf: Book.books(0..<scale(1_000_000)))
                worst.measure { cache.invalidate(Book<Int>.self) }
            },
        ] + waitingRows

    private static let nanosecondsOfGoal = 2_000_000.0

    private static func worstCase(
        _ name: String,
        _ title: String,
        run: @escaping @Sendable (Scale, inout WorstCase) -> Void
    ) -> Row {
        Row(name, title, against: "the goal, 2 ms", target: 1) { scale in
            var all = LatencyHistogram()
            return Contest(note: all.worstCaseNote) {
                nanosecondsOfGoal
            } subject: {
                var worst = WorstCase()
                run(scale, &worst)
                all.add(worst.times)
                return Double(worst.longest)
            }
        }
    }

    private static func grow(to count: Int, measuredBy worst: inout WorstCase) {
        let cache = Cache()
        for id in 0..<count {
            let book = Book(id: id, number: id)
            worst.measure { cache.set(book) }
        }
    }

    private static func replaceAll(
        limitedTo count: Int,
        times: Int,
        measuredBy worst: inout WorstCase
    ) {
        let subject = FlatCacheSubject<Book<Int>>(.count(count))
        subject.ingest(Book.books(0..<count))
        for id in count..<(count * (times + 1)) {
            let book = Book(id: id, number: id)
            worst.measure { subject.set(book) }
        }
        Tally.check(subject.cache.count(of: Book<Int>.self), is: count)
    }

    private static func removeAndSet(at count: Int, measuredBy worst: inout WorstCase) {
        let cache = Cache()
        cache.set(contentsOf: Book.books(0..<count))
        for id in count..<(count * 3) {
            let book = Book(id: id, number: id)
            worst.measure { cache.remove(Book<Int>.self, id: id - count) }
            worst.measure { cache.set(book) }
        }
    }

    private static func overwriteUnderSnapshot(_ count: Int, measuredBy worst: inout WorstCase) {
        let cache = Cache()
        cache.set(contentsOf: Book.books(0..<count))
        cache.withSnapshot { _ in
            for id in randomOrder(of: 0..<count, count: count) {
                let book = Book(id: id, number: id, edition: 1)
                worst.measure { cache.set(book) }
            }
        }
    }

    private static func growStamped(to count: Int, measuredBy worst: inout WorstCase) {
        let cache = Cache()
        for id in 0..<count {
            let book = Book(id: id, number: id)
            worst.measure { cache.set(book, modifiedAt: id) }
        }
    }

    private static func pin(_ count: Int, measuredBy worst: inout WorstCase) {
        let cache = Cache()
        var tokens: [Disposable] = []
        tokens.reserveCapacity(count)
        for id in 0..<count {
            worst.measure { tokens.append(cache.pin(Book<Int>.self, id: id)) }
        }
        for token in tokens { worst.measure { token.dispose() } }
    }

    private static func buildObservedChain(links: Int, measuredBy worst: inout WorstCase) {
        let cache = Cache()
        let token = cache.cached(ChainLink.self, id: 0).observe { blackHole($0) }
        for id in 0..<links {
            let next = id == links - 1 ? nil : Related<ChainLink>(id + 1)
            let link = ChainLink(id: id, title: Texts.title(id), next: next)
            worst.measure { cache.set(link) }
        }
        token.dispose()
    }

    private static func observeDependents(
        _ count: Int,
        measuredBy worst: inout WorstCase
    ) -> (Cache, [Disposable]) {
        let cache = Cache()
        let hub = ChainLink(id: count, title: Texts.title(count), next: nil)
        cache.set(hub)
        let links = (0..<count).map {
            ChainLink(id: $0, title: hub.title, next: Related<ChainLink>(count))
        }
        cache.set(contentsOf: links)
        var tokens: [Disposable] = []
        tokens.reserveCapacity(count)
        for id in 0..<count {
            worst.measure {
                tokens.append(cache.cached(ChainLink.self, id: id).observe { blackHole($0) })
            }
        }
        return (cache, tokens)
    }

    // MARK: Other writers

    /// Rows that measure the longest write of one thread while another works.
    private static let waitingRows = [
        waiting("30j", "set, longest while 1,000,000 others expire") { count in
            let clock = SteppingClock()
            var configuration = CacheConfiguration(clock: clock)
            configuration.limit(Book<Int>.self, expires: .afterWrite(.seconds(1)))
            let cache = Cache(configuration: configuration)
            cache.set(contentsOf: Book.books(0..<count))
            clock.advance(by: .seconds(2))
            return (cache, { cache.expireValues() })
        },
        waiting("30k", "the same during removeAll of 1,000,000") { count in
            let cache = Cache()
            cache.set(contentsOf: Book.books(0..<count))
            return (cache, { cache.removeAll(Book<Int>.self) })
        },
        waiting("30l", "the same while 1,000,000 values are pruned") { count in
            let cache = Cache()
            cache.set(contentsOf: Book.books(0..<count))
            return (cache, { cache.pruneUnobservedValues() })
        },
        waiting("30m", "the same while 1,000,000 values are trimmed") { count in
            let cache = Cache()
            cache.set(contentsOf: Book.books(0..<count))
            return (cache, { cache.trim(to: .fraction(0)) })
        },
        waiting("30n", "the same, end of a snapshot of 1,000,000") { count in
            let cache = Cache()
            cache.set(contentsOf: Book.books(0..<count))
            let snapshot = OpenSnapshot(of: cache)
            cache.set(contentsOf: Book.books(0..<count, edition: 1))
            return (cache, { snapshot.close() })
        },
    ]

    private static let nanosecondsOfWaitingGoal = 5_000_000.0

    /// Creates a row about writes that may wait for a thread that changes many values.
    ///
    /// - Parameters:
    ///   - name: The number of the row.
    ///   - title: The title of the row.
    ///   - prepare: Creates a cache with a number of books, and the work of the other thread.
    private static func waiting(
        _ name: String,
        _ title: String,
        prepare: @escaping @Sendable (Int) -> (Cache, @Sendable () -> Void)
    ) -> Row {
        Row(name, title, against: "the goal, 5 ms", target: 1) { scale in
            var all = LatencyHistogram()
            return Contest(note: all.worstCaseNote) {
                nanosecondsOfWaitingGoal
            } subject: {
                let (cache, work) = prepare(scale(1_000_000))
                for id in 0..<1_000 { cache.set(novelist(id)) }
                let times = Threads.times(for: Array(0..<1_000)) { id in
                    cache.set(novelist(id))
                } during: {
                    work()
                }
                all.add(times)
                return Double(times.maximum)
            }
        }
    }

    private static func novelist(_ id: Int) -> Novelist {
        Novelist(id: id, name: Texts.title(id), awards: id)
    }
}

extension LatencyHistogram {
    /// A line about the distribution, for readers of the results.
    fileprivate var worstCaseNote: String {
        let bound = Format.measurement(Double(percentile(0.9999)), .nanoseconds)
        let longest = Format.measurement(Double(maximum), .nanoseconds)
        return "in wall-clock time: 99.99th percentile \(bound), longest \(longest)"
    }
}
