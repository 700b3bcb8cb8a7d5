/// The freshness record of a value, and the version that stored the value.
@usableFromInline
struct StoredRecord {
    @usableFromInline let version: UInt64
    @usableFromInline let record: FreshnessRecord
}

extension Table {
    /// The number of identifiers whose entries are loaded ahead of the reading.
    ///
    /// The entries must fit into the processor's cache.
    @usableFromInline static var idsReadAtATime: Int { 256 }

    /// Brings the entries of some identifiers into the processor's cache; returns `false` if there
    /// are none.
    ///
    /// To acquire a lock, or to retain a part of a value, a processor waits for its earlier
    /// accesses to memory. If entities are read one by one, it therefore waits for main memory
    /// several times for each of them. This method groups the identifiers by stripe, so that the
    /// processor accesses the entries of a stripe at the same time (row 32a of Benchmarks).
    @usableFromInline
    func loadEntries(of ids: ChunkedArray<Value.ID>, in range: Range<Int>) -> Bool {
        let count = range.count
        return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 2 * count) { hashes in
            withUnsafeTemporaryAllocation(of: Int.self, capacity: Stripes.count + 1) { ends in
                // The hashes are sorted by counting those of each stripe.
                ends.initialize(repeating: 0)
                for index in 0..<count {
                    let hash = hash(of: ids[range.lowerBound &+ index])
                    hashes.initializeElement(at: index, to: hash)
                    ends[Stripes.index(of: hash) &+ 1] &+= 1
                }
                for stripe in 0..<Stripes.count { ends[stripe &+ 1] &+= ends[stripe] }
                for index in 0..<count {
                    let hash = hashes[index]
                    let stripe = Stripes.index(of: hash)
                    hashes.initializeElement(at: count &+ ends[stripe], to: hash)
                    ends[stripe] &+= 1
                }
                var sum = 0
                var place = 0
                for index in 0..<Stripes.count where place < ends[index] {
                    let stripe = stripe(at: index)
                    stripe.acquire()
                    while place < ends[index] {
                        let hash = hashes[count &+ place]
                        let segment = stripe.state.pointee.segment(of: hash)
                        sum &+= segment.loadEntry(ofHash: hash)
                        place &+= 1
                    }
                    stripe.release()
                }
                return sum > 0
            }
        }
    }

    /// Returns the value of an identifier as of the version of an open snapshot.
    ///
    /// Any thread can call this method. It doesn't count as a read.
    ///
    /// - Parameter record: Set to the freshness record of the value, if there is one.
    @usableFromInline @inline(__always)
    func stored(
        _ id: Value.ID,
        hash: UInt32,
        at version: UInt64,
        _ record: inout StoredRecord?
    ) -> Value? {
        let stripe = stripe(of: hash)
        stripe.acquire()
        defer { stripe.release() }
        let segment = stripe.state.pointee.segment(of: hash)
        guard let slot = segment.slot(of: id, hash: hash) else { return nil }
        if stripe.state.pointee.recordsFreshness {
            record = segment.storedRecord(of: slot, at: version)
        }
        return (segment.entries + slot).pointee.value(at: version)
    }
}

extension Segment {
    /// Brings the entry with a hash into the processor's cache; returns a positive number, or zero
    /// if there's no such entry.
    ///
    /// The number depends on the memory, so that the compiler can't leave out the access. The entry
    /// is read as memory: `withUnsafeBytes(of: &entry)` would begin a modification, while a writer
    /// reads the entry without the stripe's lock. The header isn't read, since the writer changes
    /// it without that lock.
    @usableFromInline @inline(__always)
    func loadEntry(ofHash hash: UInt32) -> Int {
        let tag = SlotTag(hash: hash)
        var slot = homeSlot(of: hash)
        while true {
            let found = tags[slot]
            if found == tag, (entries + slot).pointee.hash == hash { break }
            if found == .empty { return 0 }
            slot = slotAfter(slot)
        }
        let bytes = UnsafeRawPointer(entries + slot)
        var sum = 1
        var position = MemoryLayout<Entry<Value>>.size &- 1
        while position >= MemoryLayout<EntryHeader>.size {
            sum &+= Int(bytes.load(fromByteOffset: position, as: UInt8.self))
            position &-= ProcessorCacheLine.size
        }
        return sum
    }

    @usableFromInline
    func storedRecord(of slot: Int, at version: UInt64) -> StoredRecord? {
        let entry = entries + slot
        if entry.pointee.version <= version {
            return StoredRecord(version: entry.pointee.version, record: record(of: slot))
        }
        guard let record = entry.pointee.priorFreshness(at: version) else { return nil }
        return StoredRecord(version: entry.pointee.storedVersion(at: version) ?? 0, record: record)
    }
}

extension CacheSnapshot {
    /// Calls a closure with the confirmed value and the freshness of each entity that has one, in
    /// the order of the identifiers.
    ///
    /// The calls don't count as uses of the values, and run under no lock.
    @usableFromInline
    package func forEachStored<Value: Identifiable & Sendable>(
        _ ids: ChunkedArray<Value.ID>,
        _ body: (Value, StoredFreshness) -> Void
    ) where Value.ID: Sendable {
        checkUsable()
        guard let table = core.tables.existingTable(of: Value.self) else { return }
        let unknown = StoredFreshness()
        let tracksWhole = table.traits.merge != nil && table.wholeValues.withLock(\.isTracked)
        let hasLayers = core.tables.existingTable(of: ConfirmedState.self) != nil
        var end = 0
        while end < ids.count {
            let range = end..<min(end + Table<Value>.idsReadAtATime, ids.count)
            end = range.upperBound
            // The table keeps the entries of an open snapshot.
            guard table.loadEntries(of: ids, in: range) else { continue }
            for index in range {
                let id = ids[index]
                var times: StoredRecord?
                let hash = table.hash(of: id)
                var stored = table.stored(id, hash: hash, at: version, &times)
                let key = hasLayers ? CacheKey(Value.self, id: id) : nil
                if let key, let state = core.get(ConfirmedState.self, id: key, at: version) {
                    stored = state.value?.typed()
                }
                guard let value = stored else { continue }
                var ages = times.map { freshness($0, in: table) } ?? unknown
                if tracksWhole, let times {
                    ages.wholeAge = table.wholeAge(
                        of: value,
                        times,
                        isChanged: table.storedVersion(of: id)?.version != times.version,
                        at: time ?? .start
                    )
                }
                body(value, ages)
            }
        }
    }

    @usableFromInline
    func freshness<Value: Identifiable & Sendable>(
        _ stored: StoredRecord,
        in table: Table<Value>
    ) -> StoredFreshness where Value.ID: Sendable {
        let (record, now) = (stored.record, time ?? .start)
        let invalidation = table.invalidations.withLock {
            $0.staleTime(stored: stored.version, readAt: version)
        }
        let time = record.staleTime(stored: stored.version, readAt: version, at: now)
        let staleTime = [invalidation, time].compactMap { $0 }.min()
        return StoredFreshness(
            age: record.stored == .min ? nil : .nanoseconds(now.nanoseconds(since: record.stored)),
            staleFor: staleTime.map { .nanoseconds(now.nanoseconds(since: $0)) }
        )
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
    /// Optional durations would take twice the memory, and a large flush would have to clear it.
    private var ageNanoseconds: Int64
    private var staleNanoseconds: Int64
    private var wholeNanoseconds: Int64

    @usableFromInline
    package init(age: Duration? = nil, staleFor: Duration? = nil, wholeAge: Duration? = nil) {
        ageNanoseconds = Self.nanoseconds(of: age)
        staleNanoseconds = Self.nanoseconds(of: staleFor)
        wholeNanoseconds = Self.nanoseconds(of: wholeAge)
    }

    /// The age of the latest whole value if none counts.
    package static var noWholeValue: Duration { .nanoseconds(Int64.max) }

    /// `true` if there is neither an age nor a staleness of the value itself.
    @usableFromInline package var isEmpty: Bool {
        ageNanoseconds == .min && staleNanoseconds == .min
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

    /// The time since the latest whole value was stored, or `nil` if it's the age of the value.
    @usableFromInline package var wholeAge: Duration? {
        get { Self.duration(of: wholeNanoseconds) }
        set { wholeNanoseconds = Self.nanoseconds(of: newValue) }
    }

    /// Takes the age of the whole value from an older value that is merged beneath this one.
    ///
    /// - Parameter offset: The time by which the ages of the older value are too great.
    package mutating func fillIn(_ older: StoredFreshness, _ offset: Duration = .zero) {
        guard let wholeAge, older.staleFor == nil, let age = older.wholeAge ?? older.age else {
            return
        }
        if age != Self.noWholeValue { self.wholeAge = min(wholeAge, age - offset) }
    }

    private static func duration(of nanoseconds: Int64) -> Duration? {
        nanoseconds == .min ? nil : .nanoseconds(nanoseconds)
    }

    /// Returns a duration in nanoseconds, or the greatest number if it's longer than 292 years.
    private static func nanoseconds(of duration: Duration?) -> Int64 {
        duration.map { max($0.nanoseconds, -.max) } ?? .min
    }
}
