// Writes that replace the value of one entry, without the bookkeeping of a transaction.

/// The result of an attempt to exchange a value in place.
@usableFromInline
enum Exchange<Value> {
    /// The values are equal, so the stored one stays.
    case unneeded
    /// A participant or the watch graph needs a commit.
    case refused
    /// The value was exchanged. The prior value has to be released after the writers' lock.
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
        if table.limits != nil || table.traits.pinnedKeys != nil {
            guard table.exchangesInPlace(entry) else { return nil }
        }
        return entry.pointee.value
    }

    /// Exchanges a value in place and publishes the version, under the writers' lock.
    ///
    /// - Parameters:
    ///   - existing: The stored value, from `valueToExchange(of:in:)`.
    ///   - new: The value to store.
    ///   - entry: The entry.
    ///   - table: The entry's table.
    ///   - operation: The name of the public method.
    @inlinable @inline(never)
    func exchange<Value: Identifiable & Sendable>(
        _ existing: Value,
        for new: Value,
        in entry: Segment<Value>.Pointer,
        of table: Table<Value>,
        _ operation: StaticString
    ) -> Exchange<Value> where Value.ID: Sendable {
        if table.traits.isEqual != nil, writer.areEqual(existing, new, table.traits) {
            if table.limits != nil {
                table.recordStoredAgain(new, in: entry, writer)
                if table.isTimed { table.recordExchangeInJournal(entry) }
            }
            if writer.hasLeases { table.recordExchangeForLeases(entry, in: writer) }
            return .unneeded
        }
        if entry.pointee.node != .none, !keepsRelationships(of: entry, new, in: table) {
            return .refused
        }
        if table.hasExchangeHooks, !allowsExchange(of: existing, for: new, in: table) {
            return .refused
        }
        let times = table.timesToRecord(of: new, writer)
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
        if writer.hasLeases { table.recordExchangeForLeases(entry, in: writer) }
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

    /// Enqueues the notifications of the observers that an exchanged entry reaches; returns whether
    /// there are any.
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

    /// Returns the event of an exchanged entry for the causes of its change.
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
    @inlinable @inline(never)
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
        // counts from the new version isn't notified of the exchange. They follow the initial
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
