import FlatCache

@testable import FlatCacheTestSupport

extension HistoryEntity {
    // MARK: Reading

    static func entries(
        of number: Int,
        in cache: some ReadableCache,
        _ pauses: Pauses
    ) -> [Int]? {
        cache.get(Self.self, id: id(number, pausing: pauses.next()))?.entries
    }

    static func contains(_ number: Int, in cache: some ReadableCache, _ pauses: Pauses) -> Bool {
        cache.contains(Self.self, id: id(number, pausing: pauses.next()))
    }

    static func count(in cache: some ReadableCache) -> Int { cache.count(of: Self.self) }

    static func numbers(in cache: some ReadableCache) -> [Int] {
        cache.ids(of: Self.self).map(number(of:)).sorted()
    }

    static func allEntries(in cache: some ReadableCache) -> [[Int]] {
        cache.values(of: Self.self).sorted { $0.number < $1.number }.map(\.entries)
    }

    // MARK: Writing

    static func set(
        _ entry: Int,
        in number: Int,
        of cache: some CacheType,
        _ pauses: Pauses
    ) -> [Int] {
        cache.set(Self(number: number, entries: [entry], pausing: pauses.next())).entries
    }

    static func set(
        contentsOf values: [(number: Int, entry: Int)],
        in cache: some CacheType,
        _ pauses: Pauses
    ) -> [[Int]] {
        let values = values.map {
            Self(number: $0.number, entries: [$0.entry], pausing: pauses.next())
        }
        return cache.set(contentsOf: values).map(\.entries)
    }

    static func replace(
        _ number: Int,
        by entries: [Int],
        in cache: some CacheType,
        _ pauses: Pauses
    ) -> [Int] {
        cache.replace(Self(number: number, entries: entries, pausing: pauses.next())).entries
    }

    static func append(
        _ entry: Int,
        to number: Int,
        in cache: some CacheType,
        _ outcome: HistoryOperation.Outcome,
        _ pauses: Pauses
    ) -> HistoryResult {
        let id = id(number, pausing: pauses.next())
        do throws(HistoryError) {
            let stored = try cache.update(Self.self, id: id) { value throws(HistoryError) in
                try value.append(entry, outcome, pauses)
            }
            return .value(stored?.entries)
        } catch {
            return .failure(error.results)
        }
    }

    /// Appends an entry, and throws if the outcome is a failure.
    ///
    /// Updates call this in their closure.
    mutating func append(
        _ entry: Int,
        _ outcome: HistoryOperation.Outcome,
        _ pauses: Pauses
    ) throws(HistoryError) {
        pauses.take()
        entries.append(entry)
        pauses.take()
        if outcome == .fails { throw HistoryError() }
    }

    static func remove(_ number: Int, in cache: some CacheType, _ pauses: Pauses) -> [Int]? {
        cache.remove(Self.self, id: id(number, pausing: pauses.next()))?.entries
    }

    static func removeAll(in cache: some CacheType) -> Int { cache.removeAll(Self.self) }

    // MARK: Handles and observations

    static func handle(_ number: Int, in cache: Cache, _ pause: Pause) -> any HistoryHandle {
        cache.cached(Self.self, id: id(number, pausing: pause))
    }

    static func observe(_ number: Int, in cache: Cache) -> Disposable {
        cache.cached(Self.self, id: id(number, pausing: .none)).observe { _ in }
    }

    static func beginObservation(
        of number: Int,
        in cache: Cache,
        _ pauses: Pauses
    ) -> HistoryObservation {
        let received = Recorder<[Int]?>()
        let handle = cache.cached(Self.self, id: id(number, pausing: pauses.next()))
        let token = handle.following(.none)._observe(initial: true, delivery: .inline) { state in
            received.append(state.state?.map(\.entries) ?? nil)
        }
        return HistoryObservation(received: received, token: token)
    }
}
