// The removal of all values as a commit without a transaction.
extension CacheCore {
    /// Removes all values of some tables by an exchange of their segments, and publishes that as a
    /// commit of its own.
    ///
    /// Other writers then don't wait for each removal. The previous segments are released after the
    /// writers' lock.
    ///
    /// - Parameter tables: The tables.
    /// - Returns: The number of removed values, or `nil` if an observer, a participant, an owner or
    ///   a snapshot needs each removal.
    func removeAllAtOnce(from tables: [any AnyTable]) -> Int? {
        let tables = tables.filter { $0.count(at: nil) > 0 }
        // A commit that changes nothing isn't published.
        if tables.isEmpty { return 0 }
        guard !tables.contains(where: \.needsSingleRemovals),
            !writer.graph.containsNode(ofTypes: Set(tables.map(\.typeIdentifier)))
        else { return nil }
        let removals = tables.map { $0.prepareToEmpty() }
        var removed: Int?
        for table in tables { table.acquireAllStripes() }
        // A snapshot that is open reads the stored values. One that is opened later doesn't.
        clock.publishUnlessSnapshotIsOpen(writer.writeVersion) { version in
            removed = removals.reduce(0) { $0 + $1(version, writer) }
        }
        for table in tables { table.releaseAllStripes() }
        guard removed != nil else { return nil }
        for table in tables { table.forgetEmptied(in: writer) }
        writer.countCommit()
        for table in tables { table.reclaim(in: writer) }
        return removed
    }
}
