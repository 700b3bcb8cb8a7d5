// The parts of the engine that the queue of submitted mutations needs.

extension OpenLayer {
    /// The keys of the entities that the layer sets and that have no confirmed value.
    package var createdKeys: [CacheKey] {
        core.withWriterLock("createdKeys") { writer in
            writer.openLayers[number]?.tables.flatMap { $0.createdKeys(by: number) } ?? []
        }
    }
}

extension TableLayers {
    func createdKeys(by layer: UInt64) -> [CacheKey] {
        (entities[layer] ?? []).filter { id in
            let operations = stacks[id]?.first { $0.layer == layer }?.operations ?? []
            return operations.contains(where: \.isSet) && confirmedValue(of: id) == nil
        }.map { CacheKey(Value.self, id: $0) }
    }
}

extension Commit {
    /// Rolls a layer back as part of the commit; returns whether it was open.
    package func rollBack(_ layer: OpenLayer) -> Bool {
        guard layer.core === core, core.isOpen(layer.number) else { return false }
        core.rollBackLayer(layer.number)
        // The later stages see the confirmed values.
        for layers in core.writer.layers { layers.uncoverWritten() }
        return true
    }
}

extension Cache {
    /// Reports a problem to the closure of the configuration.
    package func report(_ message: String, of key: CacheKey) {
        core.deliver(through: core.deliveryQueue.append([core.report(message, of: key)]))
    }

    /// Calls a closure at once, or after the write that the thread is in.
    package func callUnderNoLock(_ body: @escaping @Sendable () -> Void) {
        if core.writerLock.isHeldByCurrentThread {
            core.deliver(through: core.deliveryQueue.append([.action(body)]))
        } else {
            body()
        }
    }

    /// Sleeps for the pause before a call is repeated that has failed a number of times.
    ///
    /// The pauses are those of loading handles.
    package func sleep(afterFailures count: Int) async {
        // A clock that fails, or the cancellation of the task, ends the pause.
        try? await core.policies.timeline.sleep(until: core.endOfPause(afterFailures: count))
    }

    /// Sleeps for a duration on the cache's clock.
    package func sleep(for duration: Duration) async {
        let timeline = core.policies.timeline
        try? await timeline.sleep(until: timeline.now.advanced(by: duration.nanoseconds))
    }
}
