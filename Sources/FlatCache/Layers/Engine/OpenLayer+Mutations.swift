// The parts of the engine that the queue of mutations in FlatCacheFoundation needs.

extension OpenLayer {
    /// The keys of the entities that the layer sets and that have no confirmed value.
    package var createdKeys: [CacheKey] {
        core.withWriterLock("createdKeys") { writer in
            // A covered entity keeps its confirmed value apart from its entry.
            core.coverLayers()
            return record.entities.filter { entity in
                // The first layer that sets the entity creates it.
                let creator = entity.state.parts.first { layer in
                    layer.operations.contains { $0.kind == .set }
                }
                return creator?.layer == number && entity.state.confirmed == nil
            }.map(\.key)
        }
    }
}

extension Commit {
    /// Rolls a layer back as part of the commit; returns whether it was open.
    package func rollBack(_ layer: OpenLayer) -> Bool {
        guard layer.core === core, layer.record.state == .open else { return false }
        core.rollBackLayer(layer.record)
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
