import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of limits while the wall clock is behind or ahead, or jumps.
struct WrongClockTests {
    private let folder: GraphFolder
    /// The date of the wall clock in days since 1970.
    private let day = Locked(WrongClockTests.today)

    /// The present day.
    private static let today = 20_000.0
    private static let count = 20

    init() throws {
        folder = try GraphFolder()
    }

    private func attached(
        _ limit: DurableLimit = .age(.seconds(90 * 86_400)),
        _ configuration: CacheConfiguration = CacheConfiguration()
    ) async throws -> (Cache, SQLiteGraph) {
        let cache = Cache(configuration: configuration)
        let graph = try folder.graph(
            wallClock: { [day] in Date(timeIntervalSince1970: day.withLock { $0 } * 86_400) }
        ) {
            Durable(Book.self, "book", limit: limit)
        }
        try await graph.attach(to: cache)
        return (cache, graph)
    }

    private func set(_ day: Double) { self.day.withLock { $0 = day } }

    private func write(_ cache: Cache, _ graph: SQLiteGraph, from first: Int = 0) async throws {
        cache.set(contentsOf: (first..<first + Self.count).map { Book(id: $0, title: "Title") })
        try await graph.flush()
    }

    /// Writes the row with the identifier -1, so that the graph looks for old rows.
    private func look(_ cache: Cache, _ graph: SQLiteGraph) async throws {
        cache.set(Book(id: -1, title: UUID().uuidString))
        try await graph.flush()
    }

    /// The number of rows without the one that `look(_:_:)` writes.
    private var rows: Int {
        get throws { try folder.run("SELECT id FROM book WHERE id >= 0").count }
    }

    /// Lets the program run for some minutes on each of several days.
    private func run(on days: some Sequence<Double>) async throws {
        let (cache, graph) = try await attached()
        for day in days {
            set(day)
            try await look(cache, graph)
            set(day + 0.01)
            try await look(cache, graph)
        }
        try await graph.detach()
    }

    /// Days of the wall clock while it's wrong, followed by the right one.
    private static let wrongDays: [[Double]] = [
        [0], [0, 0.1, 0.2], [today - 120], [today - 1], [today + 3_650], [today + 91],
        [today + 120, today + 121, today + 122], [0, today + 400, 3, today - 10, today + 91],
        [today + 1_000, today + 2_000, today + 3_000], [today + 3_650, 0],
        [today - 30, today + 30, today - 30, today + 30], [-10_000], [today + 200_000],
    ]

    @Test("A wrong clock deletes no fresh rows", arguments: wrongDays, [false, true])
    func wrongClockDeletesNoFreshRows(days: [Double], isRelaunched: Bool) async throws {
        var (cache, graph) = try await attached()
        try await write(cache, graph)
        for day in days + [Self.today + 0.1, Self.today + 0.2] {
            if isRelaunched { try await graph.detach() }
            set(day)
            if isRelaunched { (cache, graph) = try await attached() }
            try await look(cache, graph)
            #expect(try rows == Self.count, "day \(day)")
        }
        // Rows aren't kept longer than a right clock would keep them either.
        try await graph.detach()
        try await run(on: (1...110).map { Self.today + Double($0) })
        #expect(try rows == 0)
    }

    @Test("Rows that are written with a wrong clock age from then on", arguments: wrongDays)
    func rowsOfAWrongClockAge(days: [Double]) async throws {
        set(days[0])
        let (cache, graph) = try await attached()
        try await write(cache, graph)
        set(Self.today)
        try await look(cache, graph)
        #expect(try rows == Self.count)
        try await graph.detach()
        try await run(on: (1...80).map { Self.today + Double($0) })
        #expect(try rows == Self.count)
        // A date that the clock shows once more counts from then on.
        let isReached = 0...90 ~= days[0] - Self.today - 1
        try await run(on: (81...(isReached ? 220 : 110)).map { Self.today + Double($0) })
        #expect(try rows == 0)
    }

    @Test(arguments: [30.0, 3_650])
    func clockThatIsAheadDoesNotAgeOlderRows(days: Double) async throws {
        let (cache, graph) = try await attached()
        try await write(cache, graph)
        try await graph.detach()
        try await run(on: (1...79).map { Self.today + Double($0) })
        try await run(on: [Self.today + 79 + days])
        #expect(try rows == Self.count)
        try await run(on: (80...89).map { Self.today + Double($0) })
        #expect(try rows == Self.count)
    }

    @Test func rowsOfASeldomUsedFileAge() async throws {
        let (cache, graph) = try await attached()
        try await write(cache, graph)
        try await graph.detach()
        try await run(on: (1...30).map { Self.today + 365 * Double($0) })
        #expect(try rows == 0)
    }

    @Test func longRunningGraphTrustsItsOtherClock() async throws {
        let (cache, graph) = try await attached()
        try await write(cache, graph)
        set(Self.today + 91)
        folder.clock.advance(by: .seconds(91 * 86_400))
        try await look(cache, graph)
        #expect(try rows == 0)
    }

    @Test func fileWithoutAHistoryKeepsItsRows() async throws {
        let (cache, graph) = try await attached()
        try await write(cache, graph)
        try await graph.detach()
        try folder.run("DROP TABLE flatcache_clock")
        try await run(on: [0, Self.today + 3_650, Self.today + 1])
        #expect(try rows == Self.count)
        try await run(on: (2...110).map { Self.today + Double($0) })
        #expect(try rows == 0)
    }

    @Test("Times of values don't depend on the wall clock either", arguments: wrongDays)
    func valuesWithLifetimesAreKept(days: [Double]) async throws {
        var configuration = CacheConfiguration()
        configuration.limit(Book.self, .unlimited, staleAfter: .seconds(1_000 * 86_400))
        let limit = DurableLimit.age(.seconds(90 * 86_400))
        let (cache, graph) = try await attached(limit, configuration)
        try await write(cache, graph)
        for day in days + [Self.today + 0.1] {
            set(day)
            try await look(cache, graph)
            try await write(cache, graph, from: Self.count)
        }
        #expect(try rows == 2 * Self.count)
    }

    @Test("Staleness doesn't depend on the wall clock", arguments: wrongDays, [false, true])
    func stalenessIsMeasured(days: [Double], isStaleBefore: Bool) async throws {
        let (cache, graph) = try await attached(.staleness(.seconds(86_400)))
        try await write(cache, graph)
        if isStaleBefore { cache.invalidate(Book.self, id: 1) }
        try await graph.flush()
        for day in days + [Self.today + 0.1] {
            set(day)
            if !isStaleBefore { cache.invalidate(Book.self, id: 1) }
            try await look(cache, graph)
            #expect(try rows == Self.count, "day \(day)")
        }
        for hour in 1...30 {
            set(Self.today + 0.1 + Double(hour) / 24)
            try await look(cache, graph)
        }
        #expect(try rows == Self.count - 1)
    }

    @Test(
        "The least recently used rows are deleted in spite of a wrong clock",
        arguments: wrongDays
    )
    func orderOfUsesIsKept(days: [Double]) async throws {
        let (cache, graph) = try await attached(.count(Self.count))
        for (index, day) in ([Self.today] + days + [Self.today + 0.1]).enumerated() {
            set(day)
            cache.set(Book(id: index, title: "Title"))
            try await graph.flush()
        }
        let count = days.count + 2
        try await write(cache, graph, from: count)
        let left = try folder.run("SELECT id FROM book ORDER BY id").compactMap { Int($0) }
        let kept = Self.count - Self.count / 10
        #expect(left == Array(count + Self.count - kept..<count + Self.count))
    }

    /// A clock that is wrong on some launches never deletes a row before its age, and all rows are
    /// deleted some time after it.
    @Test func randomClocksKeepRowsForTheirAge() async throws {
        try await RandomTestSettings(seeds: 8).forEachSeed { seed in
            var generator = SplitMix64(seed: seed)
            let test = try WrongClockTests()
            test.set(Self.today)
            let (cache, graph) = try await test.attached()
            try await test.write(cache, graph)
            try await graph.detach()
            var truth = Self.today
            while truth < Self.today + 88 {
                truth += Double(generator.number(in: 2...400)) / 100
                let isWrong = generator.oneIn(3)
                let shift =
                    Double(generator.number(in: -25_000...25_000)) / (generator.oneIn(2) ? 1 : 200)
                try await test.run(on: [truth + (isWrong ? shift : 0)])
                if try test.rows < Self.count, truth < Self.today + 90 {
                    let problem = "Rows are missing after \(truth - Self.today) days."
                    return FailureReport(seed: seed, step: nil, problem: problem)
                }
            }
            try await test.run(on: (1...110).map { truth + Double($0) })
            let left = try test.rows
            let problem = "\(left) rows are kept."
            return left == 0 ? nil : FailureReport(seed: seed, step: nil, problem: problem)
        }
    }
}
