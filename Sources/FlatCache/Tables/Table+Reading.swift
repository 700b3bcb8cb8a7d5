extension Table {
    /// The value with an identifier, as of the latest visible commit or of an open snapshot's version.
    ///
    /// For any thread.
    func value(id: Value.ID, hash: Int, at version: UInt64?) -> Value? {
        let stripe = stripe(of: hash)
        stripe.lock.acquire()
        defer { stripe.lock.release() }
        guard let entry = stripe.slots.entry(id: id, hash: hash) else { return nil }
        // The visible version is read under the lock: what it displaces is kept until the writer has
        // had the lock once more.
        return entry.value(at: version ?? clock.visibleVersion)
    }

    /// The latest visible value of a handle, which remembers the entry once it has been found.
    ///
    /// For any thread.
    func value(of handle: Cached<Value>) -> Value? {
        let stripe = stripe(of: handle.idHash)
        stripe.lock.acquire()
        defer { stripe.lock.release() }
        if let entry = handle.entry, !entry.isDetached {
            return entry.value(at: clock.visibleVersion)
        }
        handle.entry = stripe.slots.entry(id: handle.id, hash: handle.idHash)
        return handle.entry?.value(at: clock.visibleVersion)
    }

    /// How many values there are, as of the latest visible commit or of an open snapshot's version.
    ///
    /// For any thread.
    func count(at version: UInt64?) -> Int {
        committedCount.withLock { $0.count(at: version ?? clock.visibleVersion) }
    }

    /// Calls a closure with each value as of an open snapshot's version.
    ///
    /// For any thread. The snapshot must have been opened before and must stay open: until it closes,
    /// no entry leaves the table, so none moves from where it would be missed. An entry that is added
    /// meanwhile, even to a larger table in place of this one, is too new to be read.
    func forEachValue(at version: UInt64, _ body: (Entry<Value>, Value) -> Void) {
        // A few slots at a time, so that nobody waits longer for a large stripe than for a small one.
        let slotsAtATime = 64
        var found: [(Entry<Value>, Value)] = []
        for stripe in stripes {
            let slots = stripe.lock.withLock { stripe.slots }
            for start in stride(from: 0, to: slots.capacity, by: slotsAtATime) {
                stripe.lock.withLock {
                    for slot in start..<min(start + slotsAtATime, slots.capacity) {
                        if let entry = slots[slot], let value = entry.value(at: version) {
                            found.append((entry, value))
                        }
                    }
                }
                for (entry, value) in found { body(entry, value) }
                found.removeAll(keepingCapacity: true)
            }
        }
    }
}
