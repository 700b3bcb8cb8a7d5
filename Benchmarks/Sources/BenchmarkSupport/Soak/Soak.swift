import FlatCache
import Foundation

/// Uses one cache with limits for a long time, like an app that is never closed, to find out
/// whether its memory grows.
///
/// The operations run on one thread and are the same in every run. Most of them read, and store
/// missing values; others store, update, remove, or store several values in one commit. There are
/// far more identifiers than the cache keeps, and few of them are frequent. Few values stay long
/// enough to expire: mostly observed ones, which become stale.
public struct Soak {
    /// The state after a tenth of the operations.
    public struct Mark: Sendable {
        /// The number of operations so far.
        public let operations: Int
        /// The number of resident bytes of the process, or `nil` if it isn't available.
        public let residentBytes: Int?
        /// The number of values in the cache.
        public let values: Int
        /// The number of observations.
        public let observations: Int
        /// The number of calls of observers.
        public let calls: Int
        /// The number of reads that found no value.
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

    /// Creates a cache with a limit.
    ///
    /// - Parameters:
    ///   - operations: The total number of operations.
    ///   - ids: The number of identifiers.
    ///   - room: The number of values that the cache keeps, in addition to observed ones.
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

    /// Carries out all operations, and calls a closure after each tenth of them.
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

    /// Observes an entity, and ends the oldest observation.
    private mutating func observeAnother() {
        let id = distribution.next(using: &random)
        let observation = cache.cached(Book<Int>.self, id: id).observe { [tally] _ in tally.add() }
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
