import FlatCache

@testable import FlatCacheTestSupport

/// A naive reference of stored values during loads: for each key, it keeps the times of all writes.
///
/// Times of writes are the numbers of steps, not those of the clock. An answer counts as written
/// when its request began.
struct LoadModel {
    typealias Key = LoadModelKey
    typealias Fields = [Int?]

    /// A stored value.
    struct Stored {
        var fields: Fields
        /// The time of the clock at which the value was stored, in seconds.
        var clockTime: Int
        /// The time of the clock from which on the value is stale.
        var staleFrom: Int
        /// The time of the clock at which the value expires.
        var end: Int
        var isMarkedStale = false
        /// The entities that the response of a request contains.
        var related: Set<Key> = []
    }

    /// A remembered failure.
    struct Failure {
        /// A Boolean value that indicates whether the call has failed.
        ///
        /// Otherwise, its answer didn't contain the entity.
        let isError: Bool
        /// The time of the clock until which it's remembered, in seconds.
        let end: Int
    }

    static let rowLifetime = 20
    static let rowTimeToLive = 60
    static let requestTimeToLive = 300

    var stored: [Key: Stored] = [:]
    /// The times of the writes, removals and invalidations of each key.
    private var writes: [Key: [Int]] = [:]
    /// The number of the latest step.
    private(set) var time = 0
    /// The time of the clock, in seconds.
    var clockTime = 0
    /// The keys whose calls are no longer joined by later loads, since the last look.
    private(set) var separated: Set<Key> = []
    /// The times of the latest removals.
    private var removals: [Key: Int] = [:]
    private var failures: [Key: Failure] = [:]

    static func merge(_ fields: Fields, with other: Fields) -> Fields {
        zip(fields, other).map { $1 ?? $0 }
    }

    /// Begins a step, and returns its time.
    @discardableResult
    mutating func tick() -> Int {
        time += 1
        return time
    }

    mutating func takeSeparated() -> Set<Key> {
        defer { separated = [] }
        return separated
    }

    func isStale(_ key: Key) -> Bool {
        guard let entry = stored[key] else { return false }
        return entry.isMarkedStale || entry.staleFrom <= clockTime
    }

    func isFresh(_ key: Key) -> Bool { stored[key] != nil && !isStale(key) }

    func hasWrite(to key: Key, since time: Int) -> Bool {
        writes[key, default: []].contains { $0 > time }
    }

    // MARK: Writes

    private mutating func store(
        _ fields: Fields,
        of key: Key,
        writtenAt time: Int,
        staleAfter lifetime: Int? = nil
    ) {
        var entry = Stored(fields: fields, clockTime: clockTime, staleFrom: .max, end: .max)
        switch key.kind {
        case .row:
            entry.staleFrom = clockTime + Self.rowLifetime
            entry.end = clockTime + Self.rowTimeToLive
        case .note: break
        case .request:
            if let lifetime {
                entry.staleFrom = clockTime + lifetime
                entry.end = entry.staleFrom + Self.requestTimeToLive
            }
        }
        stored[key] = entry
        writes[key, default: []].append(time)
    }

    mutating func set(_ fields: Fields, of key: Key) {
        store(merged(fields, over: key), of: key, writtenAt: time)
    }

    mutating func replace(_ fields: Fields, of key: Key) {
        store(fields, of: key, writtenAt: time)
    }

    private func merged(_ fields: Fields, over key: Key) -> Fields {
        guard key.kind == .row, let entry = stored[key] else { return fields }
        return Self.merge(entry.fields, with: fields)
    }

    mutating func remove(where isRemoved: (Key) -> Bool) {
        for key in Key.all where isRemoved(key) {
            stored[key] = nil
            removals[key] = time
            withdraw(key)
        }
    }

    mutating func invalidate(where isInvalidated: (Key) -> Bool) {
        for key in Key.all where isInvalidated(key) {
            stored[key]?.isMarkedStale = true
            if key.kind == .request, let entry = stored[key] {
                let staleFrom = min(clockTime, entry.staleFrom)
                stored[key]?.staleFrom = staleFrom
                stored[key]?.end = staleFrom + Self.requestTimeToLive
            }
            withdraw(key)
        }
    }

    private mutating func withdraw(_ key: Key) {
        writes[key, default: []].append(time)
        separated.insert(key)
        failures[key] = nil
    }

    // MARK: Failures

    /// Returns the seconds for which the loader of a kind remembers failures.
    static func loaderFailureMemory(of kind: Key.Kind) -> Int? { kind == .row ? 10 : nil }

    func failure(of key: Key) -> Failure? {
        failures[key].flatMap { clockTime < $0.end ? $0 : nil }
    }

    mutating func remember(_ keys: [Key], isError: Bool, for seconds: Int) {
        for key in keys { failures[key] = Failure(isError: isError, end: clockTime + seconds) }
    }

    mutating func forgetFailures(where isForgotten: (Key) -> Bool) {
        failures = failures.filter { !isForgotten($0.key) }
    }

    // MARK: Limits, which concern no load

    mutating func expire() {
        let expired = Set(stored.filter { $0.value.end <= clockTime }.keys)
        stored = stored.filter {
            !expired.contains($0.key) && $0.value.related.isDisjoint(with: expired)
        }
        for (key, entry) in stored where entry.staleFrom <= clockTime {
            stored[key]?.isMarkedStale = true
        }
    }

    mutating func evictAll() { stored = [:] }

    // MARK: Answers

    mutating func relate(_ key: Key, to related: some Sequence<Key>) {
        stored[key]?.related = Set(related)
    }

    /// Stores what an answer says of a key; returns whether the value of the cache is the answer to
    /// the callers.
    @discardableResult
    mutating func answer(
        _ fields: Fields,
        of key: Key,
        requestedAt beginning: Int,
        staleAfter lifetime: Int? = nil
    ) -> Bool {
        guard hasWrite(to: key, since: beginning) else {
            let whole = merged(fields, over: key)
            store(whole, of: key, writtenAt: beginning, staleAfter: lifetime)
            return true
        }
        guard key.kind == .row else { return false }
        guard let entry = stored[key], removals[key, default: -1] <= beginning else { return true }
        let whole = Self.merge(fields, with: entry.fields)
        if whole == entry.fields { return true }
        let wasStale = isStale(key)
        store(whole, of: key, writtenAt: beginning)
        stored[key]?.isMarkedStale = wasStale
        return true
    }
}
