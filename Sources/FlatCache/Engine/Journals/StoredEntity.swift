/// The value of an entity in a snapshot, with its freshness as ages.
@usableFromInline
package struct StoredEntity<Value: Sendable>: Sendable {
    @usableFromInline package let value: Value
    @usableFromInline package let freshness: StoredFreshness

    @usableFromInline
    init(_ value: Value, _ freshness: StoredFreshness) {
        self.value = value
        self.freshness = freshness
    }
}

/// The ages that determine the freshness of a value.
///
/// A cache's clock has no relation to other caches' clocks. To keep a freshness longer than the
/// cache, subtract the ages from the time of another clock.
@usableFromInline
package struct StoredFreshness: Hashable, Sendable {
    /// The ages in nanoseconds, or the least number for `nil`.
    ///
    /// Optional durations would take twice the memory, which a large flush would have to clear.
    private var ageNanoseconds: Int64
    private var staleNanoseconds: Int64

    @usableFromInline
    package init(age: Duration? = nil, staleFor: Duration? = nil) {
        ageNanoseconds = Self.nanoseconds(of: age)
        staleNanoseconds = Self.nanoseconds(of: staleFor)
    }

    /// The time since the value was stored, or `nil` if it's unknown.
    @usableFromInline package var age: Duration? {
        get { Self.duration(of: ageNanoseconds) }
        set { ageNanoseconds = Self.nanoseconds(of: newValue) }
    }

    /// The time for which the value has been stale, or `nil` if it's fresh.
    @usableFromInline package var staleFor: Duration? {
        get { Self.duration(of: staleNanoseconds) }
        set { staleNanoseconds = Self.nanoseconds(of: newValue) }
    }

    private static func duration(of nanoseconds: Int64) -> Duration? {
        nanoseconds == .min ? nil : .nanoseconds(nanoseconds)
    }

    /// Returns a duration in nanoseconds, or the greatest number if it's longer than 292 years.
    private static func nanoseconds(of duration: Duration?) -> Int64 {
        guard let (seconds, attoseconds) = duration?.components else { return .min }
        let (product, isOverflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if isOverflow { return seconds < 0 ? -.max : .max }
        let (sum, isSumOverflow) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isSumOverflow ? (seconds < 0 ? -.max : .max) : sum
    }
}

extension CacheSnapshot {
    /// Returns the value of an entity and its freshness, or `nil` if there's no value.
    ///
    /// The call doesn't count as a use of the value.
    @inlinable
    package func stored<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID
    ) -> StoredEntity<Value>? where Value.ID: Sendable {
        checkUsable()
        guard let table = core.tables.existingTable(of: type) else { return nil }
        return table.stored(id, hash: table.hash(of: id), at: version).map { stored in
            guard let record = stored.record else {
                return StoredEntity(stored.value, StoredFreshness())
            }
            return StoredEntity(stored.value, freshness(record, of: stored.version, in: table))
        }
    }

    @usableFromInline
    func freshness<Value: Identifiable & Sendable>(
        _ record: FreshnessRecord,
        of storedVersion: UInt64,
        in table: Table<Value>
    ) -> StoredFreshness where Value.ID: Sendable {
        let now = time ?? .start
        let invalidation = table.invalidations.withLock {
            $0.staleTime(stored: storedVersion, readAt: version)
        }
        let time = record.staleTime(stored: storedVersion, readAt: version, at: now)
        let staleTime = [invalidation, time].compactMap { $0 }.min()
        return StoredFreshness(
            age: record.stored == .min ? nil : .nanoseconds(now.nanoseconds(since: record.stored)),
            staleFor: staleTime.map { .nanoseconds(now.nanoseconds(since: $0)) }
        )
    }
}

extension Table {
    /// Returns the value of an identifier as of the version of an open snapshot, with the version
    /// that stored it, and its freshness record if there is one.
    ///
    /// Any thread can call this method. It doesn't count as a read.
    @inlinable
    func stored(
        _ id: Value.ID,
        hash: UInt32,
        at version: UInt64
    ) -> (value: Value, version: UInt64, record: FreshnessRecord?)? {
        let stripe = stripe(of: hash)
        stripe.acquire()
        defer { stripe.release() }
        let segment = stripe.state.pointee.segment(of: hash)
        guard let slot = segment.slot(of: id, hash: hash) else { return nil }
        let entry = segment.entries + slot
        guard let value = entry.pointee.value(at: version) else { return nil }
        guard stripe.state.pointee.recordsFreshness else { return (value, 0, nil) }
        if entry.pointee.version <= version {
            return (value, entry.pointee.version, segment.record(of: slot))
        }
        return (
            value, entry.pointee.storedVersion(at: version) ?? 0,
            entry.pointee.priorFreshness(at: version)
        )
    }
}
