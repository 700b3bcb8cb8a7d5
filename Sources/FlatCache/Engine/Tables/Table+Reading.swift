extension Table {
    /// Returns the value of an identifier, as of the latest visible commit or of an open snapshot's
    /// version.
    ///
    /// Any thread can call this method.
    @inlinable @inline(__always)
    func value(id: Value.ID, hash: UInt32, at version: UInt64?) -> Value? {
        let stripe = stripe(of: hash)
        stripe.acquire()
        defer { stripe.release() }
        let segment = stripe.state.pointee.segment(of: hash)
        guard let slot = segment.slot(of: id, hash: hash) else { return nil }
        // The visible version is read under the lock. The values that this version displaced are
        // kept until the writer acquires the lock once more.
        let version = version ?? clock.visibleVersion
        if stripe.state.pointee.recordsReads { stripe.marks(of: segment).recordAccess(slot) }
        return (segment.entries + slot).pointee.value(at: version)
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
        if stripe.state.pointee.recordsReads {
            let segment = stripe.state.pointee.segment(of: handle.idHash)
            stripe.marks(of: segment).recordAccess(entry - segment.entries)
        }
        return entry.pointee.value(at: version)
    }

    /// Returns the latest visible value of a handle, and stores its entry in the handle.
    ///
    /// Called if the handle has no entry, or if its entry may have left the table.
    @usableFromInline
    func findValue(of handle: Cached<Value>) -> Value? {
        // The caller may not have retained the handle for this call, during which `==` of the
        // identifier could release it.
        let retained = Unmanaged.passRetained(handle)
        defer { retained.release() }
        let stripe = stripe(of: handle.idHash)
        stripe.acquire()
        defer { stripe.release() }
        let segment = stripe.state.pointee.segment(of: handle.idHash)
        let slot = segment.slot(of: handle.id, hash: handle.idHash)
        handle.remember(
            slot.map { segment.entries + $0 },
            asOf: stripe.state.pointee.layoutGeneration
        )
        guard let slot else { return nil }
        let version = clock.visibleVersion
        if stripe.state.pointee.recordsReads { stripe.marks(of: segment).recordAccess(slot) }
        return (segment.entries + slot).pointee.value(at: version)
    }

    /// Returns the number of values, as of the latest visible commit or of an open snapshot's
    /// version.
    ///
    /// Any thread can call this method.
    @usableFromInline
    func count(at version: UInt64?) -> Int {
        committedCount.withLock { $0.count(at: version ?? clock.visibleVersion) }
    }

    var contentName: String? {
        guard let state = Value.self as? any StateOfCache.Type else { return "\(Value.self)" }
        return state.contentName
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
