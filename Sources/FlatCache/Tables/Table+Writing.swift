// Everything here is called under the writers' lock.
extension Table {
    /// The entry of an identifier, whether or not it has a value now.
    @inlinable
    func entry(id: Value.ID, hash: Int) -> Entry<Value>? {
        stripe(of: hash).pointee.unmanagedSlots._withUnsafeGuaranteedRef {
            $0.entry(id: id, hash: hash)
        }
    }

    /// The value of an identifier as the open transaction leaves it so far.
    @inlinable
    func writtenValue(id: Value.ID) -> Value? { entry(id: id, hash: id.hashValue)?.value }

    /// How many values there are as the open transaction leaves them so far.
    @usableFromInline var writtenCount: Int { count(at: nil) + countDifference }

    /// Calls a closure with each value as the open transaction leaves it so far.
    @inlinable
    func forEachWrittenValue(_ body: (Entry<Value>, Value) -> Void) {
        for index in 0..<Stripes.count {
            let slots = stripes[index].slots
            for slot in 0..<slots.capacity {
                if let entry = slots[slot], let value = entry.value { body(entry, value) }
            }
        }
    }

    func anyEntry(of key: CacheKey) -> AnyEntry? {
        guard let id: Value.ID = key.identifier.typed() else { return nil }
        return entry(id: id, hash: id.hashValue)
    }

    func relatedCacheKeys(
        of entry: AnyEntry,
        at version: UInt64,
        in writer: Writer
    ) -> Set<CacheKey> {
        guard let relatedCacheKeys = traits.relatedCacheKeys,
            let value = typed(entry).value(at: version)
        else { return [] }
        return writer.runUserCode("relatedCacheKeys", of: Value.self) { relatedCacheKeys(value) }
    }

    /// Writes a new value, or its absence, as part of the open transaction.
    @inlinable
    func write(_ value: Value?, to entry: Entry<Value>, in writer: Writer) {
        countDifference += (value == nil ? 0 : 1) - (entry.value == nil ? 0 : 1)
        let level = writer.level
        let isWrittenAtThisLevel = entry.version == level
        let displaced = Displaced(
            value: entry.value,
            version: entry.version,
            older: isWrittenAtThisLevel ? nil : entry.displaced
        )
        let lock = stripe(of: entry.hash).pointee.lock
        lock.acquire()
        if !isWrittenAtThisLevel {
            entry.displaced = displaced
            entry.version = level
        }
        entry.value = value
        lock.release()
        if isWrittenAtThisLevel {
            writer.releaseLater(displaced)
        } else {
            pending.append(entry)
            if !isNotedAsWritten { noteWrite(in: writer) }
        }
    }

    /// The entry of an identifier, without a reference counted.
    ///
    /// It stays while the caller has the writers' lock.
    @inlinable @inline(__always)
    func unmanagedEntry(id: Value.ID, hash: Int) -> Unmanaged<Entry<Value>>? {
        stripe(of: hash).pointee.unmanagedSlots._withUnsafeGuaranteedRef {
            $0.unmanagedEntry(id: id, hash: hash)
        }
    }

    /// Exchanges the value of an entry and makes that visible as a commit of its own.
    ///
    /// - Returns: Whether that was done; not if an open snapshot needs what is there.
    @inlinable @inline(__always)
    func exchange(_ entry: Unmanaged<Entry<Value>>, for value: Value, at version: UInt64) -> Bool {
        guard clock.beginInPlace() else { return false }
        entry._withUnsafeGuaranteedRef { entry in
            let lock = stripe(of: entry.hash).pointee.lock
            lock.acquire()
            entry.value = value
            entry.version = version
            // Under the lock, since nothing is kept for a reader who would see the old version.
            clock.publish(version)
            lock.release()
        }
        clock.endInPlace()
        return true
    }

    @usableFromInline
    func noteWrite(in writer: Writer) { writer.noteWrite(to: self) }

    @usableFromInline
    func attachToNode(_ entry: Entry<Value>, in writer: Writer) {
        writer.graph.attach(entry, of: self)
    }

    /// Adds an entry for a new value as part of the open transaction.
    @inlinable
    func insert(_ value: Value, id: Value.ID, hash: Int, in writer: Writer) {
        let entry = Entry(id: id, hash: hash, value: value, version: writer.level)
        let stripe = stripe(of: hash)
        if stripe.pointee.slots.isFull { enlarge(stripe) }
        stripe.pointee.lock.acquire()
        stripe.pointee.slots.insert(entry)
        stripe.pointee.lock.release()
        if writer.hasMissingNodes { attachToNode(entry, in: writer) }
        countDifference += 1
        pending.append(entry)
        if !isNotedAsWritten { noteWrite(in: writer) }
    }

    @inlinable
    func enlarge(_ stripe: UnsafeMutablePointer<Stripe<Value>>) {
        let slots = stripe.pointee.slots
        exchangeSlots(of: stripe, for: slots.resized(toCapacity: slots.enlargedCapacity))
    }

    @usableFromInline
    func removeAll(in writer: Writer, where isChosen: (AnyEntry) -> Bool) -> Int {
        var removed = 0
        for index in 0..<Stripes.count {
            let slots = stripes[index].slots
            for slot in 0..<slots.capacity {
                guard let entry = slots[slot], entry.value != nil, isChosen(entry) else { continue }
                write(nil, to: entry, in: writer)
                removed += 1
            }
        }
        return removed
    }

    func close(in writer: Writer) {
        for index in 0..<Stripes.count {
            let stripe = stripes + index
            let slots = stripe.pointee.slots
            for slot in 0..<slots.capacity {
                guard let entry = slots[slot] else { continue }
                let last = Displaced(
                    value: entry.value,
                    version: entry.version,
                    older: entry.displaced
                )
                writer.releaseLater(last)
                stripe.pointee.lock.acquire()
                entry.value = nil
                entry.displaced = nil
                entry.isDetached = true
                stripe.pointee.lock.release()
            }
            exchangeSlots(of: stripe, for: Slots(capacity: 0))
        }
        unsettled = []
    }

    /// Takes an entry without a value out of the table, or keeps it listed while a snapshot is
    /// open.
    @usableFromInline
    func detach(_ entry: Entry<Value>, in writer: Writer) {
        let stripe = stripe(of: entry.hash)
        stripe.pointee.lock.acquire()
        // A scan opens its snapshot before it takes this lock, so it is seen here.
        let isDetached = !clock.hasOpenSnapshots
        if isDetached {
            stripe.pointee.slots.remove(entry)
            entry.isDetached = true
        }
        stripe.pointee.lock.release()
        guard isDetached else { return keepUnsettled(entry) }
        writer.graph.detach(entry)
        let slots = stripe.pointee.slots
        if slots.isSparse {
            exchangeSlots(of: stripe, for: slots.resized(toCapacity: slots.reducedCapacity))
        }
    }

    func keepUnsettled(_ entry: Entry<Value>) {
        guard !entry.isUnsettled else { return }
        entry.isUnsettled = true
        unsettled.append(entry)
    }

    /// Gives a stripe other slots, which hold the same to every reader.
    ///
    /// They are made before and the old ones freed after the lock: readers wait for the exchange
    /// only.
    @usableFromInline
    func exchangeSlots(
        of stripe: UnsafeMutablePointer<Stripe<Value>>,
        for slots: Slots<Value>,
        leaving: [Entry<Value>] = []
    ) {
        stripe.pointee.lock.acquire()
        for entry in leaving { entry.isDetached = true }
        let old = stripe.pointee.unmanagedSlots
        stripe.pointee.unmanagedSlots = .passRetained(slots)
        stripe.pointee.lock.release()
        old.release()
    }
}
