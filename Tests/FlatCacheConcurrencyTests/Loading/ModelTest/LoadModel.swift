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
        /// The time of the clock at which the latest whole value was stored, or `nil` if none
        /// counts.
        var wholeTime: Int?
    }

    /// A value that a write has brought to a key.
    struct Incoming {
        enum Kind { case over, beneath, replacing }

        /// The time of the write, or for an answer, of its request.
        let time: Int
        var fields: Fields
        let kind: Kind
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
    /// The values that writes have brought since each key was removed or evicted last, in the order
    /// of their times.
    private var incoming: [Key: [Incoming]] = [:]
    private var evictions: [Key: Int] = [:]
    private var invalidations: [Key: Int] = [:]

    /// Returns whether a value meets the requirement of the rows' loader.
    static func isWhole(_ fields: Fields) -> Bool { fields[1] != nil }

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

    /// Returns whether a load by the rows' loader finds the latest whole value fresh.
    func isWholeFresh(_ key: Key) -> Bool {
        stored[key]?.wholeTime.map { $0 + Self.rowLifetime > clockTime } ?? false
    }

    func hasWrite(to key: Key, since time: Int) -> Bool {
        writes[key, default: []].contains { $0 > time }
    }

    // MARK: Writes

    /// Stores a value.
    ///
    /// - Parameters:
    ///   - own: The value before it was merged, or `nil` if it can't be whole.
    private mutating func store(
        _ fields: Fields,
        of key: Key,
        writtenAt time: Int,
        staleAfter lifetime: Int? = nil,
        own: Fields?
    ) {
        var entry = Stored(fields: fields, clockTime: clockTime, staleFrom: .max, end: .max)
        if Self.isWhole(fields) {
            let isRenewed = own.map(Self.isWhole) ?? false
            let known = isStale(key) ? nil : stored[key]?.wholeTime
            entry.wholeTime = isRenewed ? clockTime : known
        }
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
        let result = bring(fields, to: key, at: time, .over)
        store(result, of: key, writtenAt: time, own: fields)
    }

    mutating func replace(_ fields: Fields, of key: Key) {
        let result = bring(fields, to: key, at: time, .replacing)
        store(result, of: key, writtenAt: time, own: fields)
    }

    /// Adds a value to those of a key, and returns the result of all of them.
    private mutating func bring(
        _ fields: Fields,
        to key: Key,
        at time: Int,
        _ kind: Incoming.Kind
    ) -> Fields {
        guard key.kind == .row else { return fields }
        var all = incoming[key, default: []]
        let index = all.firstIndex { $0.time > time } ?? all.endIndex
        // An answer fills in the parts of a value that has replaced others since its request.
        for later in index..<all.endIndex where all[later].kind == .replacing {
            all[later].fields = Self.merge(fields, with: all[later].fields)
        }
        all.insert(Incoming(time: time, fields: fields, kind: kind), at: index)
        incoming[key] = all
        var result: Fields?
        for value in all {
            result =
                switch (result, value.kind) {
                case (let former?, .over): Self.merge(former, with: value.fields)
                case (let former?, .beneath): Self.merge(value.fields, with: former)
                default: value.fields
                }
        }
        return result ?? fields
    }

    mutating func remove(where isRemoved: (Key) -> Bool) {
        for key in Key.all where isRemoved(key) {
            stored[key] = nil
            incoming[key] = nil
            removals[key] = time
            withdraw(key)
        }
    }

    mutating func invalidate(where isInvalidated: (Key) -> Bool) {
        for key in Key.all where isInvalidated(key) {
            stored[key]?.isMarkedStale = true
            invalidations[key] = time
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
        evict { expired.contains($0) || !$1.related.isDisjoint(with: expired) }
        for (key, entry) in stored where entry.staleFrom <= clockTime {
            stored[key]?.isMarkedStale = true
        }
    }

    mutating func evictAll() { evict { _, _ in true } }

    private mutating func evict(where isEvicted: (Key, Stored) -> Bool) {
        for (key, entry) in stored where isEvicted(key, entry) {
            stored[key] = nil
            incoming[key] = nil
            evictions[key] = time
        }
    }

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
            let result = bring(fields, to: key, at: beginning, .over)
            store(
                result,
                of: key,
                writtenAt: beginning,
                staleAfter: lifetime,
                own: fields
            )
            return true
        }
        guard key.kind == .row else { return false }
        guard let entry = stored[key], removals[key, default: -1] <= beginning else { return true }
        if knowsValues(of: key, since: beginning) {
            let result = bring(fields, to: key, at: beginning, .over)
            store(result, of: key, writtenAt: beginning, own: fields)
            return true
        }
        let result = Self.merge(fields, with: entry.fields)
        if result == entry.fields { return true }
        let wasStale = isStale(key)
        _ = bring(fields, to: key, at: beginning, .beneath)
        store(result, of: key, writtenAt: beginning, own: nil)
        stored[key]?.isMarkedStale = wasStale
        if wasStale { stored[key]?.wholeTime = nil }
        return true
    }

    /// Returns whether the cache has recorded all values that writes have brought since a request.
    ///
    /// It forgets them with an invalidation, and with an eviction.
    private func knowsValues(of key: Key, since beginning: Int) -> Bool {
        if let invalidation = invalidations[key], invalidation > beginning { return false }
        guard let eviction = evictions[key], eviction > beginning else { return true }
        return !writes[key, default: []].contains { $0 > beginning && $0 <= eviction }
    }
}
