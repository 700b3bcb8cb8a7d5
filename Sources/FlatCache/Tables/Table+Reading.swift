extension Table {
    /// The value with an identifier, as of the latest visible commit or of an open snapshot's
    /// version.
    ///
    /// For any thread.
    @inlinable @inline(__always)
    func value(id: Value.ID, hash: UInt32, at version: UInt64?) -> Value? {
        let stripe = stripe(of: hash)
        stripe.acquire()
        defer { stripe.release() }
        // The visible version is read under the lock: what it displaces is kept until the writer
        // has had the lock once more.
        return stripe.state.pointee.region.entry(id: id, hash: hash)?.pointee
            .value(at: version ?? clock.visibleVersion)
    }

    /// The latest visible value of a handle, which remembers the entry once it has been found.
    ///
    /// For any thread.
    @inlinable @inline(__always)
    func value(of handle: Cached<Value>) -> Value? {
        let stripe = stripe(of: handle.idHash)
        stripe.acquire()
        guard let entry = handle.entry, handle.departures == stripe.state.pointee.departures else {
            stripe.release()
            return findValue(of: handle)
        }
        defer {
            stripe.release()
            withExtendedLifetime(handle) {}
        }
        return entry.pointee.value(at: clock.visibleVersion)
    }

    /// Searches the entry of a handle that has not found it yet, or whose entry may have left the
    /// table.
    @usableFromInline
    func findValue(of handle: Cached<Value>) -> Value? {
        let stripe = stripe(of: handle.idHash)
        stripe.acquire()
        defer { stripe.release() }
        let entry = stripe.state.pointee.region.entry(id: handle.id, hash: handle.idHash)
        handle.remember(entry, asOf: stripe.state.pointee.departures)
        return entry?.pointee.value(at: clock.visibleVersion)
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
    /// For any thread. The snapshot must have been opened before and must stay open, so that what
    /// it reads is kept. An entry that is added meanwhile is too new to be read.
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
