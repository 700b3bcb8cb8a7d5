extension ChangeJournal {
    /// The number of stamps that are read while other threads wait to write.
    private static var stampsReadAtATime: Int { 1_024 }

    /// Returns the modification stamps of entities that have one, which it reads some at a time.
    ///
    /// - Parameters:
    ///   - ids: The identifiers of the entities.
    ///   - isCurrent: A closure that returns whether the stamps are still needed.
    package func stamps(
        of ids: ChunkedArray<Value.ID>,
        while isCurrent: () -> Bool = { true }
    ) -> [Value.ID: any Comparable & Sendable] {
        let isEnd = core.writerLock.isHeldByCurrentThread
        var read: [Value.ID: any Comparable & Sendable] = [:]
        for start in stride(from: 0, to: ids.count, by: Self.stampsReadAtATime) {
            let some = ids[start..<min(start + Self.stampsReadAtATime, ids.count)]
            let stamps = core.withWriterLock("stamps(of:while:)") { _ in
                isCurrent() ? some.map { table.stamps?.formerStamp(of: $0) } : []
            }
            // The dictionary may be large, so it grows outside the lock.
            for (id, stamp) in zip(some, stamps) where stamp != nil { read[id] = stamp }
            if !isEnd { core.writerLock.giveWay() }
        }
        return read
    }
}
