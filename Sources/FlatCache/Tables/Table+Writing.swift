// Everything here is called under the writers' lock.
extension Table {
    /// The entry of an identifier, whether or not it has a value now.
    func entry(id: Value.ID, hash: Int) -> Entry<Value>? {
        stripe(of: hash).slots.entry(id: id, hash: hash)
    }

    /// The value of an identifier as the open transaction leaves it so far.
    func writtenValue(id: Value.ID) -> Value? { entry(id: id, hash: id.hashValue)?.value }

    /// How many values there are as the open transaction leaves them so far.
    var writtenCount: Int { count(at: nil) + countDifference }

    /// Calls a closure with each value as the open transaction leaves it so far.
    func forEachWrittenValue(_ body: (Entry<Value>, Value) -> Void) {
        for stripe in stripes {
            let slots = stripe.slots
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
    func write(_ value: Value?, to entry: Entry<Value>, in writer: Writer) {
        countDifference += (value == nil ? 0 : 1) - (entry.value == nil ? 0 : 1)
        let isWrittenAtThisLevel = entry.version == writer.level
        let displaced = Displaced(
            value: entry.value,
            version: entry.version,
            older: isWrittenAtThisLevel ? nil : entry.displaced
        )
        stripe(of: entry.hash).lock.withLock {
            if !isWrittenAtThisLevel {
                entry.displaced = displaced
                entry.version = writer.level
            }
            entry.value = value
        }
        if isWrittenAtThisLevel {
            writer.releaseLater(displaced)
        } else {
            pending.append(entry)
            writer.noteWrite(to: self)
        }
    }

    /// Adds an entry for a new value as part of the open transaction.
    func insert(_ value: Value, id: Value.ID, hash: Int, in writer: Writer) {
        let entry = Entry(id: id, hash: hash, value: value, version: writer.level)
        let stripe = stripe(of: hash)
        if stripe.slots.isFull {
            resize(stripe, toCapacity: stripe.slots.enlargedCapacity)
        }
        stripe.lock.withLock { stripe.slots.insert(entry) }
        writer.graph.attach(entry, of: self)
        countDifference += 1
        pending.append(entry)
        writer.noteWrite(to: self)
    }

    func removeAll(in writer: Writer, where isChosen: (AnyEntry) -> Bool) -> Int {
        var removed = 0
        for stripe in stripes {
            for slot in 0..<stripe.slots.capacity {
                guard let entry = stripe.slots[slot], entry.value != nil, isChosen(entry) else {
                    continue
                }
                write(nil, to: entry, in: writer)
                removed += 1
            }
        }
        return removed
    }

    func close(in writer: Writer) {
        for stripe in stripes {
            let slots = stripe.slots
            for slot in 0..<slots.capacity {
                guard let entry = slots[slot] else { continue }
                let last = Displaced(
                    value: entry.value,
                    version: entry.version,
                    older: entry.displaced
                )
                writer.releaseLater(last)
                stripe.lock.withLock {
                    entry.value = nil
                    entry.displaced = nil
                    entry.isDetached = true
                }
            }
            stripe.lock.withLock { stripe.slots = Slots(capacity: 0) }
        }
        unsettled = []
    }

    /// Takes an entry without a value out of the table, or keeps it listed while a snapshot is open.
    func detach(_ entry: Entry<Value>, in writer: Writer) {
        let stripe = stripe(of: entry.hash)
        let isDetached = stripe.lock.withLock {
            // A scan opens its snapshot before it takes this lock, so it is seen here.
            guard !clock.hasOpenSnapshots else { return false }
            stripe.slots.remove(entry)
            entry.isDetached = true
            return true
        }
        guard isDetached else { return keepUnsettled(entry) }
        writer.graph.detach(entry)
        if stripe.slots.isSparse {
            resize(stripe, toCapacity: stripe.slots.reducedCapacity)
        }
    }

    func keepUnsettled(_ entry: Entry<Value>) {
        guard !entry.isUnsettled else { return }
        entry.isUnsettled = true
        unsettled.append(entry)
    }

    private func resize(_ stripe: Stripe<Value>, toCapacity capacity: Int) {
        exchangeSlots(of: stripe, for: stripe.slots.resized(toCapacity: capacity))
    }

    /// Gives a stripe other slots, which hold the same to every reader.
    ///
    /// They are made before and the old ones freed after the lock: readers wait for the exchange only.
    func exchangeSlots(
        of stripe: Stripe<Value>,
        for slots: Slots<Value>,
        leaving: [Entry<Value>] = []
    ) {
        let old = stripe.slots
        stripe.lock.withLock {
            for entry in leaving { entry.isDetached = true }
            stripe.slots = slots
        }
        withExtendedLifetime(old) {}
    }
}
