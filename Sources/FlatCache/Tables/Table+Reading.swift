extension Table {
    /// The value with an identifier, as of the latest visible commit or of an open snapshot's
    /// version.
    ///
    /// For any thread.
    @inlinable @inline(__always)
    func value(id: Value.ID, hash: Int, at version: UInt64?) -> Value? {
        let stripe = stripe(of: hash)
        stripe.pointee.lock.acquire()
        defer { stripe.pointee.lock.release() }
        let entry = stripe.pointee.unmanagedSlots._withUnsafeGuaranteedRef {
            $0.unmanagedEntry(id: id, hash: hash)
        }
        // The visible version is read under the lock: what it displaces is kept until the writer
        // has had the lock once more.
        return entry?._withUnsafeGuaranteedRef { $0.value(at: version ?? clock.visibleVersion) }
    }

    /// The latest visible value of a handle, which remembers the entry once it has been found.
    ///
    /// For any thread.
    @inlinable @inline(__always)
    func value(of handle: Cached<Value>) -> Value? {
        let lock = stripe(of: handle.idHash).pointee.lock
        lock.acquire()
        guard let entry = handle.entry, !entry._withUnsafeGuaranteedRef({ $0.isDetached }) else {
            lock.release()
            return findValue(of: handle)
        }
        defer {
            lock.release()
            withExtendedLifetime(handle) {}
        }
        return entry._withUnsafeGuaranteedRef { $0.value(at: clock.visibleVersion) }
    }

    /// Searches the entry of a handle that has not found it yet, or whose entry has left the table.
    @usableFromInline
    func findValue(of handle: Cached<Value>) -> Value? {
        let stripe = stripe(of: handle.idHash)
        stripe.pointee.lock.acquire()
        let entry = stripe.pointee.slots.unmanagedEntry(id: handle.id, hash: handle.idHash)
        let forgotten = handle.remember(entry)
        let value = entry?._withUnsafeGuaranteedRef { $0.value(at: clock.visibleVersion) }
        stripe.pointee.lock.release()
        forgotten?.release()
        return value
    }

    /// How many values there are, as of the latest visible commit or of an open snapshot's version.
    ///
    /// For any thread.
    @usableFromInline
    func count(at version: UInt64?) -> Int {
        committedCount.withLock { $0.count(at: version ?? clock.visibleVersion) }
    }

    /// Calls a closure with each value as of an open snapshot's version.
    ///
    /// For any thread. The snapshot must have been opened before and must stay open: until it
    /// closes, no entry leaves the table, so none moves from where it would be missed. An entry
    /// that is added meanwhile, even to a larger table in place of this one, is too new to be read.
    @inlinable
    func forEachValue(at version: UInt64, _ body: (Entry<Value>, Value) -> Void) {
        // A few slots at a time, so that nobody waits longer for a large stripe than for a small
        // one.
        let slotsAtATime = 64
        var found: [(Entry<Value>, Value)] = []
        for index in 0..<Stripes.count {
            let stripe = stripes + index
            stripe.pointee.lock.acquire()
            let slots = stripe.pointee.slots
            stripe.pointee.lock.release()
            for start in stride(from: 0, to: slots.capacity, by: slotsAtATime) {
                stripe.pointee.lock.acquire()
                for slot in start..<min(start + slotsAtATime, slots.capacity) {
                    if let entry = slots[slot], let value = entry.value(at: version) {
                        found.append((entry, value))
                    }
                }
                stripe.pointee.lock.release()
                for (entry, value) in found { body(entry, value) }
                found.removeAll(keepingCapacity: true)
            }
        }
    }
}
