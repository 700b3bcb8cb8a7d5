extension CacheCore {
    /// Makes an index, unless it has been made.
    ///
    /// The run over the entities happens on the calling thread.
    @usableFromInline
    func makeIndex<Entity: Identifiable & Sendable, Key: Hashable & Sendable>(
        _ index: CacheIndex<Entity, Key>,
        of table: Table<Entity>
    ) where Entity.ID: Sendable {
        // Code that must not write can't make an index either, and runs without it.
        if writerLock.isHeldByCurrentThread, writer.userCode != nil { return }
        if queryThreads.includesCurrentThread { return }
        let new = indexes.withLock { indexes -> LiveQuery<Entity, NoPayload>? in
            guard indexes.queries[index.identity] == nil, !isClosed else { return nil }
            let query = LiveQuery(index.definition, number: nextRegistration(), of: table)
            indexes.queries[index.identity] = query
            return query
        }
        guard let new else { return }
        let token = new.hold(in: self, "an index")
        indexes.withLock { $0.tokens.append(token) }
    }

    /// Returns the live query that contains an index, if it has been made.
    func existingIndex<Entity: Identifiable & Sendable, Key: Hashable & Sendable>(
        _ index: CacheIndex<Entity, Key>
    ) -> LiveQuery<Entity, NoPayload>? where Entity.ID: Sendable {
        indexes.withLock { $0.queries[index.identity] } as? LiveQuery<Entity, NoPayload>
    }
}
