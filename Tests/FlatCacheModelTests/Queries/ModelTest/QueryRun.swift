@testable import FlatCache
@testable import FlatCacheTestSupport

/// A run of random commits to a cache with queries, each of which is compared with its naive
/// result.
struct QueryRun: RandomRun {
    static let events = [
        "moved", "inserted", "removed", "updated only", "silent", "rolled back", "evicted",
        "expired", "batch", "ingest", "first run during a commit",
        "first run on another thread", "trimmed", "pruned", "pinned by a query", "pinned",
        "shared", "more rows than a leaf has",
    ]

    let cache: Cache
    let clock = SleeplessClock()
    let subjects: [QuerySubject]
    var generator: SplitMix64
    let counts = EventCounts()
    /// The reasons for which the cache has removed values.
    private let removals = Recorder<String>()
    private let observation: Disposable?
    /// The number of books that the run stores.
    let bookCount: Int
    /// The pins of books.
    var pins: [Book.ID: Disposable] = [:]
    var operations: [String] = []

    init(seed: Seed) {
        var generator = SplitMix64(seed: seed)
        var configuration = CacheConfiguration(clock: clock)
        // Most runs have few books, whose naive results are fast.
        bookCount = generator.oneIn(16) ? 70 : 14
        let isLimited = bookCount == 14 && generator.oneIn(2)
        if isLimited {
            configuration.limit(
                Book.self,
                generator.oneIn(2) ? .count(5) : .unlimited,
                expires: generator.oneIn(2) ? .afterWrite(.seconds(4)) : .never
            )
        }
        let cache = Cache(configuration: configuration)
        self.cache = cache
        // Without an observation of the type, values are exchanged in place.
        observation =
            !isLimited
            ? nil
            : cache.observeAll(Book.self) { [removals] changes in
                for change in changes.removed {
                    if change.kind == .removed(.evicted) { removals.append("evicted") }
                    if change.kind == .removed(.expired) { removals.append("expired") }
                }
            }
        subjects = (0..<3).map { _ in QuerySubject(QueryCase(using: &generator), in: cache) }
        operations = subjects.map { "query: \($0.definition)" }
        self.generator = generator
        if bookCount > 14 { fill() }
    }

    /// Performs a random operation, and compares all queries.
    ///
    /// - Returns: The description of the first difference, or `nil` if there is none.
    mutating func step() -> String? {
        switch random(18) {
        case 14 where random(2) == 0:
            if let problem = firstRunOnAnotherThread() { return problem }
        case 0: toggle(subjects[random(subjects.count)])
        case 1, 2:
            if let problem = batch() { return problem }
        case 3:
            if let problem = writeUnderSnapshot() { return problem }
        case 4: passTime()
        case 5: ingest()
        case 15:
            if let problem = removeUnneeded() { return problem }
        case 16: togglePin(random(bookCount))
        case 17 where bookCount > 14: fill()
        default: operations.append(write(to: cache))
        }
        return differenceAfterStep()
    }

    mutating func random(_ count: Int) -> Int {
        Int.random(in: 0..<count, using: &generator)
    }

    // MARK: Comparing

    func difference(in cache: some ReadableCache) -> String? {
        for subject in subjects {
            let expected = subject.definition.expected(in: cache)
            // The second query runs by an index, even if the first one is current.
            let queries =
                subject.usesIndex
                ? [subject.query, subject.definition.unsharedQuery(of: self.cache)]
                : [subject.query]
            for query in queries {
                let found = query.elements(in: cache)
                guard found == expected else {
                    return """
                        \(type(of: cache)): \(subject.definition):
                        \(found)
                        instead of
                        \(expected)
                        """
                }
            }
            if let problem = subject.projections.difference(expected, in: cache) {
                return "\(type(of: cache)): \(subject.definition): \(problem)"
            }
        }
        return nil
    }

    func differenceAfterStep() -> String? {
        cache.core.checkInvariants()
        for reason in removals.all { counts.add(reason) }
        removals.removeAll()
        for subject in subjects {
            let expected = subject.definition.expected(in: cache)
            if let problem = differenceOfReads(subject, expected) {
                return "\(subject.definition): \(problem) instead of \(expected)"
            }
            guard subject.isObserved else { continue }
            countEvent(from: subject.mirror.known, to: expected)
            if let problem = subject.mirror.difference(expected) {
                return "\(subject.definition): \(problem)"
            }
            if let problem = subject.projections.differenceOfCalls(expected, in: cache) {
                return "\(subject.definition): calls of \(problem)"
            }
        }
        return cache.withSnapshot { difference(in: $0) }
    }

    private func differenceOfReads(_ subject: QuerySubject, _ expected: [Book]) -> String? {
        let query = subject.query
        if query.elements != expected { return "elements \(query.elements)" }
        if subject.usesIndex {
            let scan = subject.definition.scanningQuery(of: cache).elements
            if scan != expected { return "elements of a scan \(scan)" }
        }
        if query.ids != expected.map(\.id) { return "ids \(query.ids)" }
        if query.count != expected.count { return "count \(query.count)" }
        let middle = Array(expected.dropFirst().prefix(2))
        if query[1..<3] != middle || query[1...2] != middle { return "rows \(query[1...2])" }
        if query[...1] != Array(expected.prefix(2)) { return "first rows \(query[...1])" }
        if subject.definition.isShared {
            counts.add("shared")
            let other = subject.definition.query(of: cache)
            if other.live !== query.live { return "a result of its own" }
        }
        if subject.isCurrent, expected.count > RowNode<Int, NoPayload>.leafCapacity {
            counts.add("more rows than a leaf has")
        }
        for id in 0..<14 where query.index(ofID: id) != expected.firstIndex(where: { $0.id == id })
        {
            return "index of \(id): \(query.index(ofID: id) as Any)"
        }
        return nil
    }

    /// Counts the kind of a result's change.
    private func countEvent(from old: [Book], to new: [Book]) {
        if old == new { return counts.add("silent") }
        let (oldIDs, ids) = (old.map(\.id), new.map(\.id))
        if Set(ids) == Set(oldIDs) { counts.add(ids == oldIDs ? "updated only" : "moved") }
        if Set(ids).isStrictSuperset(of: oldIDs) { counts.add("inserted") }
        if Set(ids).isStrictSubset(of: oldIDs) { counts.add("removed") }
    }
}
