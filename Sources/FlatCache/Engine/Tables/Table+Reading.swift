extension Table {
    /// Returns the value of an identifier, as of the latest visible commit or of an open snapshot's
    /// version.
    ///
    /// Any thread can call this method.
    @inlinable @inline(__always)
    func value(
        id: Value.ID,
        hash: UInt32,
        at version: UInt64?,
        allowStale: Bool
    ) -> Value? {
        let stripe = stripe(of: hash)
        stripe.acquire()
        defer { stripe.release() }
        guard let entry = stripe.state.pointee.region.entry(id: id, hash: hash) else { return nil }
        // The visible version is read under the lock. The values that this version displaced are
        // kept until the writer acquires the lock once more.
        let version = version ?? clock.visibleVersion
        if let marks = stripe.state.pointee.marks {
            let isStale = recordAccess(to: entry, in: stripe, marks, at: version)
            if isStale, !allowStale { return nil }
        }
        return entry.pointee.value(at: version)
    }

    /// Records a read of an entry, under the lock of its stripe; returns whether the value is
    /// stale.
    @inlinable @inline(__always)
    func recordAccess(
        to entry: Region<Value>.Pointer,
        in stripe: Stripe<Value>,
        _ marks: UnsafeMutableRawPointer,
        at version: UInt64
    ) -> Bool {
        let region = stripe.state.pointee.region
        let marks = EvictionMarks(base: marks, capacity: region.capacity)
        let slot = entry - region.entries
        marks.recordAccess(slot)
        return marks.mayBeStale(slot) && isStale(entry, slot, marks, at: version)
    }

    @usableFromInline
    func isStale(
        _ entry: Region<Value>.Pointer,
        _ slot: Int,
        _ marks: EvictionMarks,
        at version: UInt64
    ) -> Bool {
        marks.isStale(slot, stored: entry.pointee.version(at: version), readAt: version)
    }

    /// Returns the latest visible value of a handle, using the entry that the handle has stored.
    ///
    /// Any thread can call this method.
    @inlinable @inline(__always)
    func value(of handle: Cached<Value>) -> Value? {
        let stripe = stripe(of: handle.idHash)
        stripe.acquire()
        guard let entry = handle.entry,
            handle.layoutGeneration == stripe.state.pointee.layoutGeneration
        else {
            stripe.release()
            return findValue(of: handle)
        }
        defer {
            stripe.release()
            withExtendedLifetime(handle) {}
        }
        let version = clock.visibleVersion
        if let marks = stripe.state.pointee.marks {
            _ = recordAccess(to: entry, in: stripe, marks, at: version)
        }
        return entry.pointee.value(at: version)
    }

    /// Returns the latest visible value of a handle, and stores its entry in the handle.
    ///
    /// Called if the handle has no entry, or if its entry may have left the table.
    @usableFromInline
    func findValue(of handle: Cached<Value>) -> Value? {
        let stripe = stripe(of: handle.idHash)
        stripe.acquire()
        defer { stripe.release() }
        let entry = stripe.state.pointee.region.entry(id: handle.id, hash: handle.idHash)
        handle.remember(entry, asOf: stripe.state.pointee.layoutGeneration)
        guard let entry else { return nil }
        let version = clock.visibleVersion
        if let marks = stripe.state.pointee.marks {
            _ = recordAccess(to: entry, in: stripe, marks, at: version)
        }
        return entry.pointee.value(at: version)
    }

    /// Returns the state of an entity: missing, fresh or stale, and since when.
    ///
    /// Any thread can call this method.
    @usableFromInline
    func state(of id: Value.ID) -> CachedState {
        let hash = Self.hash(of: id)
        let stripe = stripe(of: hash)
        stripe.acquire()
        defer { stripe.release() }
        let region = stripe.state.pointee.region
        let version = clock.visibleVersion
        guard let slot = region.slot(of: id, hash: hash) else { return .missing }
        let entry = region.entries + slot
        guard entry.pointee.value(at: version) != nil else { return .missing }
        guard let base = stripe.state.pointee.marks else { return .fresh(since: nil) }
        let marks = EvictionMarks(base: base, capacity: region.capacity)
        guard let since = marks.since(of: slot) else { return .fresh(since: nil) }
        let isStale = isStale(entry, slot, marks, at: version)
        return isStale ? .stale(since: CacheInstant(since)) : .fresh(since: CacheInstant(since))
    }

    /// Returns the number of values, as of the latest visible commit or of an open snapshot's
    /// version.
    ///
    /// Any thread can call this method.
    @usableFromInline
    func count(at version: UInt64?) -> Int {
        committedCount.withLock { $0.count(at: version ?? clock.visibleVersion) }
    }

    /// Calls a closure with each value as of an open snapshot's version.
    ///
    /// Any thread can call this method. The snapshot must be open during the whole call, so that
    /// its values are kept. Entries that are added meanwhile are too new for it.
    @inlinable
    func forEachValue(at version: UInt64, _ body: (Value.ID, Value) -> Void) {
        for index in 0..<Stripes.count {
            var scan = StripeScan(of: stripe(at: index))
            while let values = scan.next(at: version) {
                for (id, value) in values { body(id, value) }
            }
        }
    }
}
