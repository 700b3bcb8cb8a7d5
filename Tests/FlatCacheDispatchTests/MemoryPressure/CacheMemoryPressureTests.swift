#if os(Linux)
import Dispatch
import FlatCache
import Synchronization
import Testing

@testable import FlatCacheDispatch

@Suite(.timeLimit(.minutes(15)))
struct CacheMemoryPressureTests {
    /// A source of readings that stands in for the kernel.
    final class PressureSource: Sendable {
        typealias Reading = Result<MemoryStalls, MemoryPressureError>

        private let looks = Mutex(0)
        private let reading: @Sendable (Int) -> Reading

        /// - Parameter reading: Returns the reading for the number of earlier readings.
        init(_ reading: @escaping @Sendable (Int) -> Reading) { self.reading = reading }

        func measure() throws(MemoryPressureError) -> MemoryStalls {
            let look = looks.withLock { looks in
                defer { looks += 1 }
                return looks
            }
            return try reading(look).get()
        }

        /// The number of readings that have begun.
        ///
        /// The cache has handled all but the last.
        var lookCount: Int { looks.withLock { $0 } }
    }

    static let place = DispatchSpecificKey<String>()
    private let queue = DispatchQueue(label: "memory pressure")

    private func filledCache() -> Cache {
        let cache = Cache()
        cache.set(contentsOf: (0..<1_000).map { Leaf(id: $0) })
        return cache
    }

    private static func reading(
        some: Double = 0,
        full: Double = 0,
        total: Int = 0
    ) -> PressureSource.Reading {
        .success(
            MemoryStalls(
                some: MemoryStalls.Measure(recent: some, total: UInt64(total)),
                full: MemoryStalls.Measure(recent: full, total: UInt64(total))
            )
        )
    }

    private func trim(
        _ cache: Cache,
        by source: PressureSource,
        every interval: Duration = .milliseconds(1)
    ) throws -> Disposable {
        try cache.trimOnMemoryPressure(
            every: interval,
            queue: queue,
            measure: { () throws(MemoryPressureError) in try source.measure() }
        )
    }

    @Test func warningHalvesTheCacheOnceAsLongAsNothingNewHappens() async throws {
        let cache = filledCache()
        let source = PressureSource { _ in Self.reading(some: 50) }
        let token = try trim(cache, by: source)
        #expect(await until { source.lookCount > 10 })
        #expect(cache.count(of: Leaf.self) == 500)
        token.dispose()
    }

    @Test func lastingWarningTrimsAgain() async throws {
        let cache = filledCache()
        let source = PressureSource { look in Self.reading(some: 50, total: min(look, 3)) }
        let token = try trim(cache, by: source)
        #expect(await until { source.lookCount > 10 })
        #expect(cache.count(of: Leaf.self) == 125)
        token.dispose()
    }

    @Test func criticalPressureEmptiesTheCache() async throws {
        let cache = filledCache()
        let source = PressureSource { look in Self.reading(some: 50, full: look < 5 ? 0 : 50) }
        let token = try trim(cache, by: source)
        #expect(await until { cache.count(of: Leaf.self) == 0 })
        #expect(source.lookCount > 5)
        token.dispose()
    }

    @Test func lessThanTheThresholdsTrimsNothing() async throws {
        let cache = filledCache()
        let source = PressureSource { look in Self.reading(some: 9.9, full: 9.9, total: look) }
        let token = try trim(cache, by: source)
        #expect(await until { source.lookCount > 10 })
        #expect(cache.count(of: Leaf.self) == 1_000)
        token.dispose()
    }

    @Test func targetsAndThresholdsAreTakenFromTheCaller() async throws {
        let cache = filledCache()
        let source = PressureSource { look in Self.reading(some: 2, full: look < 5 ? 0 : 1) }
        let token = try cache.trimOnMemoryPressure(
            warning: .count(30),
            critical: .count(20),
            thresholds: MemoryPressureThresholds(warning: 2, critical: 1),
            every: .milliseconds(1),
            queue: queue,
            measure: { () throws(MemoryPressureError) in
                if source.lookCount == 4 { #expect(cache.count(of: Leaf.self) == 30) }
                return try source.measure()
            }
        )
        #expect(await until { cache.count(of: Leaf.self) == 20 })
        token.dispose()
    }

    @Test func momentWithoutAMeasureIsSkipped() async throws {
        let cache = filledCache()
        let source = PressureSource { look in
            switch look {
            case 0: Self.reading()
            case ...5: .failure(.missing(path: "gone"))
            case 6: Self.reading(some: 50)
            case ...9: .failure(.notUnderstood(path: "odd", contents: ""))
            default: Self.reading(some: 50)
            }
        }
        let token = try trim(cache, by: source)
        #expect(await until { source.lookCount > 15 })
        #expect(cache.count(of: Leaf.self) == 500)
        token.dispose()
    }

    @Test func failureOfTheFirstReadFailsTheCall() async throws {
        let source = PressureSource { _ in .failure(.missing(path: "/some/file")) }
        #expect(throws: MemoryPressureError.missing(path: "/some/file")) {
            try trim(filledCache(), by: source)
        }
        #expect(source.lookCount == 1)
    }

    @Test func firstReadingIsImmediateAndTheNextAfterTheInterval() async throws {
        let cache = filledCache()
        let source = PressureSource { look in Self.reading(some: 50, total: look) }
        let token = try trim(cache, by: source, every: .seconds(Int64.max))
        #expect(await until { cache.count(of: Leaf.self) == 500 })
        #expect(source.lookCount == 2)
        token.dispose()
    }

    @Test func shortestIntervalIsAMillisecond() async throws {
        let cache = filledCache()
        let source = PressureSource { _ in Self.reading() }
        let token = try trim(cache, by: source, every: .nanoseconds(1))
        #expect(await until { source.lookCount > 10 })
        token.dispose()
    }

    @Test func itLooksAndTrimsOnTheQueue() async throws {
        queue.setSpecific(key: Self.place, value: "the queue")
        let cache = filledCache()
        let places = Mutex<[String?]>([])
        let note: @Sendable () -> Void = {
            let place = DispatchQueue.getSpecific(key: Self.place)
            places.withLock { $0.append(place) }
        }
        let source = PressureSource { look in
            note()
            return Self.reading(full: look == 0 ? 0 : 50)
        }
        let observation = cache.observeAll(Leaf.self) { _ in note() }
        let token = try trim(cache, by: source, every: .seconds(3_600))
        #expect(await until { places.withLock { $0.count } == 3 })
        #expect(places.withLock { $0 } == [nil, "the queue", "the queue"])
        observation.dispose()
        token.dispose()
    }

    @Test func disposalEndsTrimming() async throws {
        let cache = filledCache()
        weak var weakSource: PressureSource?
        do {
            let isPressed = Atomic(false)
            let source = PressureSource { _ in
                Self.reading(full: isPressed.load(ordering: .relaxed) ? 50 : 0)
            }
            weakSource = source
            let token = try trim(cache, by: source)
            #expect(await until { source.lookCount > 3 })
            token.dispose()
            isPressed.store(true, ordering: .relaxed)
        }
        #expect(await until { weakSource == nil })
        #expect(cache.count(of: Leaf.self) == 1_000)
    }

    @Test func itEndsWithTheCacheWhileTheTokenLives() async throws {
        weak var weakCache: Cache?
        weak var weakSource: PressureSource?
        let token: Disposable
        do {
            let cache = filledCache()
            weakCache = cache
            let source = PressureSource { look in Self.reading(some: 50, total: look) }
            weakSource = source
            token = try trim(cache, by: source)
            #expect(await until { source.lookCount > 3 })
        }
        #expect(await until { weakCache == nil })
        #expect(await until { weakSource == nil })
        token.dispose()
    }

    @Test func fileThatReportsPressureTrimsTheCache() async throws {
        let cache = filledCache()
        let file = TemporaryFile()
        try file.write("some avg10=0.00 total=0\nfull avg10=0.00 total=0\n")
        let reads = Atomic(0)
        let token = try cache.trimOnMemoryPressure(
            every: .milliseconds(1),
            queue: queue,
            measure: { () throws(MemoryPressureError) in
                defer { reads.add(1, ordering: .relaxed) }
                return try MemoryStallFile(path: file.path).stalls()
            }
        )
        let pins = [cache.pin(Leaf.self, id: 3), cache.observe(Leaf.self, id: 5) { _ in }]
        #expect(await until { reads.load(ordering: .relaxed) > 3 })
        #expect(cache.count(of: Leaf.self) == 1_000)

        try file.write("some avg10=15.00 total=100\nfull avg10=0.00 total=0\n")
        #expect(await until { cache.count(of: Leaf.self) == 500 })

        try file.remove()
        let readCount = reads.load(ordering: .relaxed)
        #expect(await until { reads.load(ordering: .relaxed) > readCount + 3 })
        #expect(cache.count(of: Leaf.self) == 500)

        try file.write("some avg10=60.00 total=900\nfull avg10=30.00 total=300\n")
        #expect(await until { cache.count(of: Leaf.self) == 2 })
        #expect(cache.ids(of: Leaf.self).sorted() == [3, 5])
        token.dispose()
        for pin in pins { pin.dispose() }
    }

    @Test func kernelsFileIsTheDefault() throws {
        do {
            try Cache().trimOnMemoryPressure().dispose()
        } catch {
            // The kernel doesn't measure memory pressure.
            #expect("\(error)".contains("/proc/pressure/memory"))
        }
    }
}
#endif
