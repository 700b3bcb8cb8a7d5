import FlatCache
import Foundation

/// Uses one cache with limits for long, as an app does that is never closed, to see whether it grows.
///
/// Of the operations, on one thread and the same in every run, most read, and store what is missing;
/// others store, change, remove, or store some in one commit. Identifiers come from far more than
/// there is room for, few of them often. Values expire after a time that few of them live to see,
/// most of all those that are observed, which stay as stale ones.
public struct Soak {
    /// What is known after a tenth of the operations.
    public struct Mark: Sendable {
        /// How many operations there have been.
        public let operations: Int
        /// How many bytes of the process are in memory; `nil` where that cannot be found out.
        public let residentBytes: Int?
        /// How many values the cache has.
        public let values: Int
        /// How many observations there are.
        public let observations: Int
        /// How many times observers have been called.
        public let calls: Int
        /// How many reads there have been that did not find a value.
        public let misses: Int
    }

    private static let tenths = 10
    private static let observationsAtATime = 200
    private static let operationsPerObservation = 500

    private let cache: Cache
    private let operations: Int
    private let distribution: ZipfDistribution
    private let tally = Tally()
    private var random = SeededGenerator(seed: 1)
    private var observations: [Disposable] = []
    private var observationCount = 0
    private var edition = 0
    private var misses = 0

    /// Creates a cache that has room for some of the identifiers.
    ///
    /// - Parameters:
    ///   - operations: How many there are in all.
    ///   - ids: How many identifiers there are.
    ///   - room: How many values the cache keeps, of those that are not observed.
    public init(operations: Int = 10_000_000, ids: Int = 1_000_000, room: Int = 10_000) {
        var configuration = CacheConfiguration()
        configuration.limit(
            Book<Int>.self,
            .count(room),
            expires: .afterWrite(.milliseconds(500))
        )
        cache = Cache(configuration: configuration)
        self.operations = operations
        distribution = ZipfDistribution(count: ids, exponent: 0.9)
    }

    /// Carries all operations out, and tells at each tenth of them how things are.
    public mutating func run(_ body: (Mark) -> Void) {
        for tenth in 1...Self.tenths {
            let reached = operations * (tenth - 1) / Self.tenths
            let end = operations * tenth / Self.tenths
            for number in reached..<end {
                if number.isMultiple(of: Self.operationsPerObservation) { observeAnother() }
                operate()
            }
            body(mark(operations: end))
        }
    }

    private mutating func operate() {
        let id = distribution.next(using: &random)
        edition += 1
        switch Int.random(in: 0..<100, using: &random) {
        case ..<70:
            if let book = cache.get(Book<Int>.self, id: id) {
                blackHole(book)
            } else {
                misses += 1
                cache.set(book(id))
            }
        case ..<80: cache.set(book(id))
        case ..<90:
            let edition = edition
            cache.update(Book<Int>.self, id: id) { $0.copies = edition }
        case ..<95: cache.remove(Book<Int>.self, id: id)
        case ..<98:
            let ids = (0..<10).map { _ in distribution.next(using: &random) }
            cache.set(contentsOf: ids.map(book))
        default:
            cache.performBatchUpdates { batch in
                batch.set(book(id))
                batch.remove(Book<Int>.self, id: id + 1)
            }
        }
    }

    private func book(_ id: Int) -> Book<Int> { Book(id: id, number: id, edition: edition) }

    /// Observes an entity, instead of that which has been observed for longest.
    private mutating func observeAnother() {
        let id = distribution.next(using: &random)
        let observation = cache.observe(Book<Int>.self, id: id) { [tally] _ in tally.add() }
        if observations.count < Self.observationsAtATime {
            observations.append(observation)
        } else {
            let place = observationCount % Self.observationsAtATime
            observations[place].dispose()
            observations[place] = observation
        }
        observationCount += 1
    }

    private func mark(operations: Int) -> Mark {
        Mark(
            operations: operations,
            residentBytes: ResidentMemory.bytes,
            values: cache.count(of: Book<Int>.self),
            observations: observations.count,
            calls: tally.count,
            misses: misses
        )
    }
}

extension Soak.Mark: CustomStringConvertible {
    /// The mark in one line.
    public var description: String {
        let memory = residentBytes.map { String(format: "%.2f MB", Double($0) / 1_000_000) }
        return """
            \(operations) operations: \(memory ?? "unknown") resident, \(values) values, \
            \(observations) observed, \(calls) calls, \(misses) misses
            """
    }
}
