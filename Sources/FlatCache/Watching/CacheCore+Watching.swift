extension CacheCore {
    /// Adds an observation, under the writers' lock.
    ///
    /// The watch graph shows the committed state, even in the middle of a transaction.
    func addToWatchGraph(_ observer: Observer) {
        writer.graph.add(observer)
        if observer.following != .allRelationships {
            refreshReach(of: observer, at: writer.committedVersion)
        }
        completeWatchGraph(at: writer.committedVersion)
    }

    /// Returns the notifications of the observers that a commit reaches, in no order.
    ///
    /// The watch graph must be up to date with the commit.
    func entityNotifications(for version: UInt64) -> [CommitNotification] {
        guard !writer.graph.isEmpty else { return [] }
        // Computed anew: the update of the graph may have dropped nodes and added others.
        let changed = watchedNodes(writtenIn: writer.writtenTables)
        guard !changed.isEmpty else { return [] }
        // Most commits change a single entity.
        if changed.count == 1, writer.graph.isAlone(changed[0]) {
            guard let (entry, table) = writer.graph[changed[0]].entry else { return [] }
            var notifications: [CommitNotification] = []
            forEachNotification(
                ofAlone: changed[0],
                { table.change(of: entry, causes: $0, version: version) },
                { notifications.append(CommitNotification(number: $0.registration, $1)) }
            )
            return notifications
        }
        return entityNotifications(ofChanged: changed, version)
    }

    /// Returns the notifications of the observers that changed nodes reach, in no order.
    ///
    /// - Parameter exchangeEvent: A closure that returns the event of a node with some causes, if
    ///   the node has changed by an exchange in place.
    private func entityNotifications(
        ofChanged changed: [WatchNodeID],
        _ version: UInt64,
        _ exchangeEvent: (WatchNodeID, Set<CacheKey>) -> AnyEvent? = { _, _ in nil }
    ) -> [CommitNotification] {
        var notifications: [CommitNotification] = []
        for reached in writer.graph.observed(reachedBy: changed) {
            guard let (entry, table) = writer.graph[reached.node].entry else { continue }
            let change =
                exchangeEvent(reached.node, reached.causes)
                ?? table.change(of: entry, causes: reached.causes, version: version)
            for observer in reached.observers {
                notifications.append(
                    CommitNotification(number: observer.registration, .event(change, observer))
                )
            }
        }
        return notifications
    }

    /// Calls a closure with each observer of a changed node that no others reach, and with its
    /// notification.
    private func forEachNotification(
        ofAlone node: WatchNodeID,
        _ event: (Set<CacheKey>) -> AnyEvent,
        _ body: (Observer, Notification) -> Void
    ) {
        if writer.graph[node].observers.isEmpty { return }
        let causes: Set = writer.graph.wantsCauses(node) ? [writer.graph[node].key] : []
        let change = event(causes)
        writer.graph[node].observers.forEach { body($0, .event(change, $0)) }
    }

    /// Enqueues the notifications of the observers that the node of an exchanged entry reaches;
    /// returns whether there are any.
    ///
    /// The exchange must leave the relationships of the entity as they are.
    ///
    /// - Parameter event: A closure that returns the event of the entity for the causes of its
    ///   change. The client compiles it for the type of the value.
    @usableFromInline
    func notifyObservers(
        ofExchanged node: WatchNodeID,
        _ event: (Set<CacheKey>) -> AnyEvent
    ) -> Bool {
        assert(writer.graph.isComplete, "Each holder of the lock must complete the watch graph.")
        var notifications: [Notification] = []
        if writer.graph.isAlone(node) {
            forEachNotification(ofAlone: node, event) { notifications.append($1) }
        } else {
            notifications = self.notifications(ofExchanged: node, event).inOrder
        }
        if notifications.isEmpty { return false }
        writer.mustDeliver(through: deliveryQueue.append(notifications))
        return true
    }

    /// Returns the notifications of the observers that the node of an exchanged entry reaches, in
    /// no order.
    func notifications(
        ofExchanged node: WatchNodeID,
        _ event: (Set<CacheKey>) -> AnyEvent
    ) -> [CommitNotification] {
        if node == .none { return [] }
        return entityNotifications(ofChanged: [node], writer.committedVersion) { reached, causes in
            reached == node ? event(causes) : nil
        }
    }

    /// Returns the nodes of the watched entities that the open transaction has written in tables.
    private func watchedNodes(writtenIn tables: some Sequence<any AnyTable>) -> [WatchNodeID] {
        var nodes: [WatchNodeID] = []
        for table in tables { table.appendWatchedNodes(to: &nodes) }
        return nodes
    }

    /// Updates the watch graph for the writes of the open transaction to tables.
    func updateWatchGraph(for tables: some Sequence<any AnyTable>, at version: UInt64) {
        guard !writer.graph.isEmpty else { return }
        guard tables.contains(where: { $0.hasRelationships }) else {
            completeWatchGraph(at: version)
            writer.graph.dropUnreached()
            return completeWatchGraph(at: version)
        }
        let written = watchedNodes(writtenIn: tables)
        for node in written where writer.graph[node].isReached {
            updateRelationships(of: node, at: version)
        }
        completeWatchGraph(at: version)
        let rerouted = written.filter { isRerouted($0, at: version) }
        for observer in writer.graph.boundedEntityObservers(reachingThrough: rerouted) {
            refreshReach(of: observer, at: version)
        }
        completeWatchGraph(at: version)
        writer.graph.dropUnreached()
        completeWatchGraph(at: version)
    }

    /// Takes the steps that the watch graph asks for, until it is complete.
    func completeWatchGraph(at version: UInt64) {
        while let step = writer.graph.nextStep() {
            switch step {
            case .release(let entry, let table):
                table.setNode(.none, of: entry)
                if writer.hasLimits { table.recordUnused(entry) }
            case .attach(let node):
                let key = writer.graph[node].key
                let table = tables.table(withTypeIdentifier: key.typeIdentifier)
                let entry = table?.entry(of: key)
                if let table, let entry { attach(entry, of: table, to: node) }
                if mayAskSources, entry.map({ table?.hasValue($0) == false }) ?? true {
                    recordMissing(key)
                }
            case .expand(let node):
                updateRelationships(of: node, at: version)
            }
        }
    }

    private func attach(_ entry: EntryID, of table: any AnyTable, to node: WatchNodeID) {
        writer.graph.attach(entry, of: table, to: node)
        table.setNode(node, of: entry)
    }

    /// Updates the nodes of moved entries, and connects a new entry with the node of its key if the
    /// key is watched.
    @usableFromInline
    func updateNodes<Value: Identifiable & Sendable>(
        forInserted entry: EntryID,
        in table: Table<Value>
    ) where Value.ID: Sendable {
        writer.passOnNodeChanges()
        guard writer.graph.missingCount > 0, let node = writer.graph.node(of: table.key(of: entry))
        else { return }
        attach(entry, of: table, to: node)
    }

    /// Returns whether the open transaction has changed the relationships of a node that a bounded
    /// observation follows.
    private func isRerouted(_ node: WatchNodeID, at version: UInt64) -> Bool {
        guard writer.graph[node].isFollowedByBoundedObservers else { return false }
        return relatedCacheKeys(of: node, at: writer.committedVersion)
            != relatedCacheKeys(of: node, at: version)
    }

    private func updateRelationships(of node: WatchNodeID, at version: UInt64) {
        guard let (entry, table) = writer.graph[node].entry else {
            return writer.graph.setRelatedKeys([], of: node)
        }
        if let keys = table.listedCacheKeys(of: entry, at: version) {
            writer.graph.replaceRelatedKeys(keys, of: node)
        } else {
            let keys = table.relatedCacheKeys(of: entry, at: version, in: writer)
            writer.graph.setRelatedKeys(keys, of: node)
        }
    }

    private func relatedCacheKeys(of node: WatchNodeID, at version: UInt64) -> Set<CacheKey> {
        guard let (entry, table) = writer.graph[node].entry, table.hasRelationships else {
            return []
        }
        return table.relatedCacheKeys(of: entry, at: version, in: writer)
    }

    private func refreshReach(of observer: Observer, at version: UInt64) {
        let reach = reach(
            from: [observer.key],
            levelLimit: observer.following.levelLimit,
            at: version
        )
        writer.graph.setReach(reach, of: observer)
    }

    /// Returns the keys that are reachable from given keys over a limited number of relationships.
    ///
    /// They are in the order of their levels, and include the given keys at level zero.
    func reach(
        from keys: [CacheKey],
        levelLimit: Int,
        at version: UInt64
    ) -> [(key: CacheKey, level: Int)] {
        var seen: Set<CacheKey> = []
        var reach: [(key: CacheKey, level: Int)] = []
        for key in keys where seen.insert(key).inserted { reach.append((key, 0)) }
        var next = 0
        while next < reach.count, reach[next].level < levelLimit {
            let (key, level) = reach[next]
            next += 1
            guard let table = tables.table(withTypeIdentifier: key.typeIdentifier),
                let entry = table.entry(of: key)
            else { continue }
            for related in table.relatedCacheKeys(of: entry, at: version, in: writer)
            where seen.insert(related).inserted {
                reach.append((related, level + 1))
            }
        }
        return reach
    }
}
