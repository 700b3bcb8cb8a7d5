#if os(Linux)
import Dispatch
import FlatCache
import Testing

@testable import FlatCacheDispatch

@Suite(.timeLimit(.minutes(15)))
struct CacheMemoryPressureTests {
    /// A source of readings that stands in for the kernel.
    final class PressureSource: Sendable {
        typealias Reading = Result<MemoryStalls, MemoryPressureError>

        private let looks = Locked(0)
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
        var lookCount: Int { looks.withLock { $0 } }
    }

    static let place = DispatchSpecificKey<String>()
    private let trigger = Trigger()

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

    private func trim(_ cache: Cache, by source: PressureSource) throws -> Disposable {
        try cache.trimOnMemoryPressure(
            measure: { () throws(MemoryPressureError) in try source.measure() },
            makeSource: { trigger.source }
        )
    }

    /// Makes checks, one after another.
    private func check(_ source: PressureSource, times: Int = 1) async {
        for _ in 0..<times {
            let count = source.lookCount
            trigger.fire()
            #expect(await until { source.lookCount > count })
            await trigger.waitForObservers()
        }
    }

    @Test func warningHalvesTheCacheOnceAsLongAsNothingNewHappens() async throws {
        let cache = filledCache()
        let source = PressureSource { _ in Self.reading(some: 50) }
        let token = try trim(cache, by: source)
        await check(source, times: 10)
        #expect(cache.count(of: Leaf.self) == 500)
        token.dispose()
    }

    @Test func lastingWarningTrimsAgain() async throws {
        let cache = filledCache()
        let source = PressureSource { look in Self.reading(some: 50, total: min(look, 3)) }
        let token = try trim(cache, by: source)
        await check(source, times: 10)
        #expect(cache.count(of: Leaf.self) == 125)
        token.dispose()
    }

    @Test func criticalPressureEmptiesTheCache() async throws {
        let cache = filledCache()
        let source = PressureSource { look in Self.reading(some: 50, full: look < 5 ? 0 : 50) }
        let token = try trim(cache, by: source)
        await check(source, times: 4)
        #expect(cache.count(of: Leaf.self) == 500)
        await check(source)
        #expect(cache.count(of: Leaf.self) == 0)
        token.dispose()
    }

    @Test func lessThanTheThresholdsTrimsNothing() async throws {
        let cache = filledCache()
        let source = PressureSource { look in Self.reading(some: 9.9, full: 9.9, total: look) }
        let token = try trim(cache, by: source)
        await check(source, times: 10)
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
            measure: { () throws(MemoryPressureError) in try source.measure() },
            makeSource: { trigger.source }
        )
        await check(source, times: 4)
        #expect(cache.count(of: Leaf.self) == 30)
        await check(source)
        #expect(cache.count(of: Leaf.self) == 20)
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
        await check(source, times: 15)
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

    @Test func intervalIsLimited() {
        #expect(Cache.milliseconds(of: .nanoseconds(1)) == 1)
        #expect(Cache.milliseconds(of: .seconds(5)) == 5_000)
        #expect(Cache.milliseconds(of: .seconds(Int64.max)) == Int(Int32.max))
    }

    @Test func itLooksAndTrimsOnTheQueue() async throws {
        let queue = DispatchQueue(label: "memory pressure")
        queue.setSpecific(key: Self.place, value: "the queue")
        let trigger = Trigger(queue: queue)
        let cache = filledCache()
        let places = Locked<[String?]>([])
        let note: @Sendable () -> Void = {
            let place = DispatchQueue.getSpecific(key: Self.place)
            places.withLock { $0.append(place) }
        }
        let source = PressureSource { look in
            note()
            return Self.reading(full: look == 0 ? 0 : 50)
        }
        let observation = cache.observeAll(Leaf.self) { _ in note() }
        let token = try cache.trimOnMemoryPressure(
            measure: { () throws(MemoryPressureError) in try source.measure() },
            makeSource: { trigger.source }
        )
        trigger.fire()
        #expect(await until { places.withLock { $0.count } == 3 })
        #expect(places.withLock { $0 } == [nil, "the queue", "the queue"])
        observation.dispose()
        token.dispose()
    }

    @Test func disposalEndsTrimming() async throws {
        let cache = filledCache()
        let isReleased = Signal()
        do {
            let tracked = TrackedObject(isReleased)
            let source = PressureSource { look in
                withExtendedLifetime(tracked) { Self.reading(full: look < 4 ? 0 : 50) }
            }
            let token = try trim(cache, by: source)
            await check(source, times: 3)
            token.dispose()
            trigger.fire()
        }
        #expect(await until { isReleased.isFired && trigger.end.isFired })
        #expect(cache.count(of: Leaf.self) == 1_000)
    }

    @Test func itEndsWithTheCacheWhileTheTokenLives() async throws {
        weak var weakCache: Cache?
        let isReleased = Signal()
        let token: Disposable
        do {
            let cache = filledCache()
            weakCache = cache
            let tracked = TrackedObject(isReleased)
            let source = PressureSource { look in
                withExtendedLifetime(tracked) { Self.reading(some: 50, total: look) }
            }
            token = try trim(cache, by: source)
            await check(source, times: 3)
        }
        #expect(weakCache == nil)
        trigger.fire()
        #expect(await until { isReleased.isFired })
        token.dispose()
    }

    @Test func fileThatReportsPressureTrimsTheCache() async throws {
        let cache = filledCache()
        let file = TemporaryFile()
        try file.write("some avg10=0.00 total=0\nfull avg10=0.00 total=0\n")
        let source = PressureSource { _ in
            Result { () throws(MemoryPressureError) in
                try MemoryStallFile(path: file.path).stalls()
            }
        }
        let token = try trim(cache, by: source)
        let pins = [cache.pin(Leaf.self, id: 3), cache.cached(Leaf.self, id: 5).observe { _ in }]
        await check(source, times: 3)
        #expect(cache.count(of: Leaf.self) == 1_000)

        try file.write("some avg10=15.00 total=100\nfull avg10=0.00 total=0\n")
        await check(source)
        #expect(cache.count(of: Leaf.self) == 500)

        try file.remove()
        await check(source, times: 3)
        #expect(cache.count(of: Leaf.self) == 500)

        try file.write("some avg10=60.00 total=900\nfull avg10=30.00 total=300\n")
        await check(source)
        #expect(cache.count(of: Leaf.self) == 2)
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
