// The marks of read and written values, by which a table with limits selects the values to evict.
//
// Everything here is called under the writers' lock.
extension Table {
    /// Makes readers use the marks and the records of the limits.
    func shareMarks() {
        for index in 0..<Stripes.count {
            let stripe = stripe(at: index)
            stripe.acquire()
            stripe.state.pointee.recordsReads = limits?.recordsReads ?? false
            stripe.state.pointee.recordsFreshness = isTimed
            stripe.release()
        }
    }

    @usableFromInline
    func setTick(_ limits: TableLimits<Value>, at now: Time) {
        if let tick = limits.state.ticks.begin(at: now) { setTick(tick) }
    }

    func setTick(_ tick: Int) {
        for index in 0..<Stripes.count {
            let stripe = stripe(at: index)
            stripe.acquire()
            stripe.state.pointee.accessMark = EvictionMarks.accessMark(inTick: tick)
            stripe.release()
        }
    }

    /// Runs a closure with the marks of an entry's segment and the entry's slot, under the stripe's
    /// lock.
    @inlinable @inline(__always)
    func withMarks<Result>(of entryID: EntryID, _ body: (EvictionMarks, Int) -> Result) -> Result {
        let segment = segments.segment(of: entryID)
        let stripe = stripe(ofSegment: entryID.segment)
        stripe.acquire()
        defer { stripe.release() }
        return body(stripe.marks(of: segment), Int(entryID.slot))
    }
}
