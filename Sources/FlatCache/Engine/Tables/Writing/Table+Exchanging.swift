// The exchange of a value in place, and the prior values that it keeps for snapshots.
//
// Everything here is called under the writers' lock.
extension Table {
    /// Exchanges the value of an entry, and publishes the exchange as a commit of its own.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - value: The new value.
    ///   - version: The version of the commit.
    ///   - times: The times of the value, if its freshness record is all that has to be updated.
    /// - Returns: The prior value, to be released after the writers' lock.
    @inlinable @inline(__always)
    func exchange(
        _ entry: Segment<Value>.Pointer,
        for value: Value,
        at version: UInt64,
        times: StoredTimes?
    ) -> Value? {
        let hash = entry.pointee.hash
        let stripe = stripe(of: hash)
        var prior: Value? = value
        if times != nil { ensureRecords(of: stripe.state.pointee.segment(of: hash), in: stripe) }
        stripe.acquire()
        swap(&entry.pointee.value, &prior)
        if stripe.state.pointee.recordsReads {
            let segment = stripe.state.pointee.segment(of: hash)
            stripe.marks(of: segment).recordStored(entry - segment.entries)
        }
        let oldVersion = entry.pointee.version
        entry.pointee.version = version
        // Published under the lock, since no value is kept for readers that would see the old
        // version.
        clock.publish(version)
        // The old value is kept only for a snapshot that was opened after the writer's check.
        let isKept = clock.hasOpenSnapshots
        if oldVersion <= reclaimedVersion { entry.pointee.prior = nil }
        if isKept { keep(prior, of: oldVersion, for: entry, in: stripe) }
        if let times {
            let segment = stripe.state.pointee.segment(of: hash)
            segment.header.pointee.records?[entry - segment.entries].recordStored(times)
        }
        stripe.release()
        if isKept { recordKept(id(of: entry)) }
        return prior
    }

    /// Returns the prior versions of an entry.
    @inlinable @inline(__always)
    func prior(of entry: Segment<Value>.Pointer) -> PriorVersion<Value>.Pointer? {
        entry.pointee.version <= reclaimedVersion ? nil : entry.pointee.prior
    }

    /// Keeps the prior value of an exchange in place for an open snapshot, under the stripe's lock.
    @usableFromInline
    func keep(
        _ value: Value?,
        of version: UInt64,
        for entry: Segment<Value>.Pointer,
        in stripe: Stripe<Value>
    ) {
        var prior = PriorVersion(value: value, version: version, older: entry.pointee.prior)
        if stripe.state.pointee.recordsFreshness {
            let segment = stripe.state.pointee.segment(of: entry.pointee.hash)
            prior.freshness = segment.record(of: entry - segment.entries)
        }
        entry.pointee.prior = PriorVersion.keep(prior)
    }

    /// Marks an entry as unreclaimed, because it keeps a value for a snapshot that was opened
    /// during an exchange.
    @usableFromInline
    func recordKept(_ entry: EntryID) {
        unreclaimed.insert(entry)
        clock.hasUnreclaimedTables = true
    }
}
