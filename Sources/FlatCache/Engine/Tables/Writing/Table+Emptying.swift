// The exchange of all segments for empty ones, under the writers' lock.
extension Table {
    /// Returns segments without entries, one for each stripe.
    ///
    /// - Parameter createdCount: The number of segments that the table has created before.
    static func emptySegments(after createdCount: UInt64) -> SegmentList<Value> {
        let segments = SegmentList<Value>(after: createdCount)
        for index in 0..<Stripes.count {
            _ = segments.create(capacity: SegmentSize.minimumCapacity, .all, inStripe: index)
        }
        return segments
    }

    /// Makes readers use other segments, one for each stripe, under the locks of all stripes.
    ///
    /// - Returns: The previous segments, to be released after the locks.
    func exchangeSegments(for new: SegmentList<Value>) -> SegmentList<Value> {
        for index in 0..<Stripes.count {
            // The first number of each stripe is its index.
            let segment = new.segment(of: EntryID(segment: UInt32(index), slot: 0))
            stripe(at: index).exchangeDirectory(forOnly: segment)
        }
        entryCount = 0
        sparseSegments = []
        defer { segments = new }
        return segments
    }

    func acquireAllStripes() {
        for index in 0..<Stripes.count { stripe(at: index).acquire() }
    }

    func releaseAllStripes() {
        for index in 0..<Stripes.count { stripe(at: index).release() }
    }

    var areStripesSoonFree: Bool {
        (0..<Stripes.count).allSatisfy { stripe(at: $0).lock.pointee.isSoonFree() }
    }

    // MARK: Removing all values

    var needsSingleRemovals: Bool {
        isObservedAsAWhole || hasExchangeHooks || journal != nil || hasUnreclaimed
            || traits.ownedCacheKeys != nil || traits.pinnedKeys != nil
    }

    func prepareToEmpty() -> (_ version: UInt64, _ writer: Writer) -> Int {
        let new = Self.emptySegments(after: segments.createdCount)
        return { [self] version, writer in
            let removed = count(at: nil)
            committedCount.withLock { $0.add(-removed, at: version) }
            hasCountHistory = true
            writer.releaseLater(exchangeSegments(for: new))
            return removed
        }
    }

    /// Forgets the records of limits and stamps, without the locks of the stripes, since
    /// identifiers may run user code.
    func forgetEmptied(in writer: Writer) {
        if let limits { writer.releaseLater(limits.forgetAll()) }
        if let stamps { writer.releaseLater(stamps.forgetAll()) }
    }

    func close(in writer: Writer) {
        let new = Self.emptySegments(after: segments.createdCount)
        acquireAllStripes()
        let former = exchangeSegments(for: new)
        releaseAllStripes()
        limits = nil
        shareMarks()
        // Readers can no longer reach the previous segments.
        dropAllPriorVersions(in: former) { _ = log.append($0.move()) }
        if let memory = log.close() { writer.releaseLater(memory) }
        writer.releaseLater(former)
        unreclaimed = ChunkedSet()
        stamps = nil
        pins = ChunkedDictionary()
        namePins = ChunkedDictionary()
        if let journal { writer.releaseLater(journal) }
        journal = nil
        isObservedAsAWhole = false
        writer.releaseLater(Released(exchangeHooks))
        exchangeHooks = RegistrationList()
    }
}
