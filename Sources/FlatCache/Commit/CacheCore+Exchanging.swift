// Writes that replace the value of one entry, without the bookkeeping of a transaction.

/// The result of an attempt to exchange a value in place.
@usableFromInline
enum Exchange<Value> {
    /// The values are equal, so the cache keeps the stored one.
    case unneeded
    /// A participant or the watch graph needs a commit.
    case refused
    /// The new value is stored. The prior value has to be released after the writers' lock.
    case done(prior: Value?, hasNotifications: Bool)
}

extension CacheCore {
    /// Returns the value of an entry if it can be exchanged in place.
    ///
    /// The entry must have a value, its type must not be observed as a whole, and no snapshot may
    /// be open. If the table has an eviction policy, or stores lists or aliases,
    /// `exchangesInPlace(_:)` decides too.
    @inlinable @inline(__always)
    func valueToExchange<Value: Identifiable & Sendable>(
        of entry: Segment<Value>.Pointer,
        in table: Table<Value>
    ) -> Value? where Value.ID: Sendable {
        guard !table.isObservedAsAWhole, !table.clock.hasOpenSnapshots else { return nil }
        if table.limits != nil || table.traits.pinnedKeys != nil || table.isGuarded {
            guard table.exchangesInPlace(entry) else { return nil }
        }
        return entry.pointee.value
    }

    /// Exchanges a value in place and publishes the version, under the writers' lock.
    ///
    /// - Parameter existing: The stored value, from `valueToExchange(of:in:)`.
    @inlinable @inline(never)
    func exchange<Value: Identifiable & Sendable>(
        _ existing: Value,
        for new: Value,
        in entry: Segment<Value>.Pointer,
        of table: Table<Value>,
        _ operation: StaticString
    ) -> Exchange<Value> where Value.ID: Sendable {
        if table.traits.isEqual != nil, writer.areEqual(existing, new, table.traits) {
            if table.limits != nil || writer.hasLeases { recordEqual(new, in: entry, of: table) }
            return .unneeded
        }
        if entry.pointee.node != .none, !keepsRelationships(of: entry, new, in: table) {
            return .refused
        }
        if table.hasExchangeHooks, !allowsExchange(of: existing, for: new, in: table) {
            return .refused
        }
        let times = table.limits == nil ? nil : table.timesToRecord(of: new, writer)
        let prior = table.exchange(
            entry,
            for: new,
            at: writer.committedVersion + 1,
            times: times?.times
        )
        if let times, !times.isComplete {
            table.recordExchange(new, in: entry, times, in: writer)
        }
        writer.countCommit()
        table.recordExchangeInJournal(entry)
        if writer.hasLeases { table.recordExchangeForLeases(entry, over: existing, in: writer) }
        let hasNotifications: Bool
        if clock.hasOpenSnapshots, clock.hasRegistrations {
            addRegistrationsAndNotify(ofExchanged: entry, prior, in: table, operation)
            // Only `releaseWriterLock()` completes the work that added registrations leave.
            hasNotifications = true
        } else {
            hasNotifications =
                entry.pointee.node != .none
                && notifyObservers(ofExchanged: entry, prior, in: table)
        }
        return .done(prior: prior, hasNotifications: hasNotifications)
    }

    /// Records that a value equals the stored one, for the limits and the loads that run.
    @usableFromInline @inline(never)
    func recordEqual<Value: Identifiable & Sendable>(
        _ value: Value,
        in entry: Segment<Value>.Pointer,
        of table: Table<Value>
    ) where Value.ID: Sendable {
        table.recordStoredAgain(value, in: entry, writer)
        if table.isTimed { table.recordExchangeInJournal(entry) }
        if writer.hasLeases, let existing = entry.pointee.value {
            table.recordExchangeForLeases(entry, over: existing, in: writer)
        }
    }

    /// Enqueues the notifications of the observers that an exchange in place reaches; returns
    /// whether there are any.
    @inlinable @inline(never)
    func notifyObservers<Value: Identifiable & Sendable>(
        ofExchanged entry: Segment<Value>.Pointer,
        _ prior: Value?,
        in table: Table<Value>
    ) -> Bool where Value.ID: Sendable {
        notifyObservers(ofExchanged: entry.pointee.node) { causes in
            event(ofExchanged: entry, prior, causes: causes)
        }
    }

    @inlinable @inline(__always)
    func event<Value: Identifiable & Sendable>(
        ofExchanged entry: Segment<Value>.Pointer,
        _ prior: Value?,
        causes: Set<CacheKey>
    ) -> AnyEvent where Value.ID: Sendable {
        EventBox(
            EntityChange(
                id: entry.pointee.id,
                kind: .updated,
                old: prior,
                new: entry.pointee.value,
                causes: causes,
                version: entry.pointee.version
            )
        )
    }

    /// Returns whether a new value of a watched entry leaves the watch graph as it is.
    @usableFromInline @inline(never)
    func keepsRelationships<Value: Identifiable & Sendable>(
        of entry: Segment<Value>.Pointer,
        _ new: Value,
        in table: Table<Value>
    ) -> Bool where Value.ID: Sendable {
        guard let relatedCacheKeys = table.traits.relatedCacheKeys else { return true }
        return writer.keepsRelationships(of: entry.pointee.node) {
            writer.runUserCode("relatedCacheKeys", of: Value.self) { relatedCacheKeys(new) }
        }
    }

    @usableFromInline
    func allowsExchange<Value: Identifiable & Sendable>(
        of stored: Value,
        for new: Value,
        in table: Table<Value>
    ) -> Bool where Value.ID: Sendable {
        writer.runUserCode("an exchange hook", of: Value.self) {
            table.allowsExchange(of: stored, for: new)
        }
    }

    /// Adds the waiting registrations, and enqueues the notifications of an exchange behind their
    /// initial ones.
    @usableFromInline
    func addRegistrationsAndNotify<Value: Identifiable & Sendable>(
        ofExchanged entry: Segment<Value>.Pointer,
        _ prior: Value?,
        in table: Table<Value>,
        _ operation: StaticString
    ) where Value.ID: Sendable {
        // The notifications of the present observers are collected first, since an observer that
        // counts from the new version isn't notified of the new value. They follow the initial
        // notifications.
        var notifications = notifications(ofExchanged: entry.pointee.node) { causes in
            event(ofExchanged: entry, prior, causes: causes)
        }
        // The notifications that the added observers have missed are computed from the written
        // tables and their pending entries, as after a transaction.
        table.pending = [table.id(of: entry)]
        writer.recordWrite(to: table)
        writer.origin = operation
        writer.author = nil
        notifications += lateNotifications(of: writer.committedVersion)
        enqueue(notifications, [])
        writer.reclaimWrittenTables()
    }
}

// The exchange of a value in place, and the prior values that it keeps for snapshots.
//
// Everything here is called under the writers' lock.
extension Table {
    /// Exchanges the value of an entry in place, and publishes the new value as one commit.
    ///
    /// - Parameter times: The times of the value, if its freshness record is all that has to be
    ///   updated.
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

/// A closure that decides whether a value of a type may be exchanged in place, without a commit
/// that passes the participants.
///
/// The cache calls the closure under the writers' lock, with the stored and the new value, before
/// it exchanges a value of the type in place. The closure must not use the cache. If another hook
/// refuses, the write passes the stages of a commit although this closure has been called.
final class ExchangeHook<Value> {
    let allowsExchange: @Sendable (_ stored: Value, _ new: Value) -> Bool

    init(_ allowsExchange: @escaping @Sendable (_ stored: Value, _ new: Value) -> Bool) {
        self.allowsExchange = allowsExchange
    }
}
