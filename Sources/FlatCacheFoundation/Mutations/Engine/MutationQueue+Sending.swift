import FlatCache

extension MutationQueue {
    /// Begins to send the first mutation of each scope.
    func advance() {
        // One lock for both steps: a mutation that ends must find its task, to cancel it.
        state.withLock { state in
            for id in state.startable() { state.setTask(task(sending: id), of: id) }
        }
    }

    private func task(sending id: PendingMutation.ID) -> Task<Void, Never> {
        // The queue can be released while the task sleeps or sends.
        Task { [weak self, cache, store] in
            while !Task.isCancelled {
                if let store, await !store.beginSending() {
                    // Another process sends, or the file can't be written.
                    await cache.sleep(for: .seconds(1))
                    continue
                }
                let attempt = self?.beginAttempt(id)
                let failure = await attempt?()
                let pause = failure.flatMap { self?.pause(after: $0, of: id) }
                if attempt != nil, pause == nil { self?.advance() }
                await store?.endSending()
                guard let pause else { return }
                await pause.value
            }
        }
    }

    /// Returns a closure that sends a mutation, and returns an error if that fails.
    private func beginAttempt(
        _ id: PendingMutation.ID
    ) -> (@Sendable () async -> (any Error)?)? {
        guard let record = state.withLock({ $0.beginAttempt(id) }), let mutation = record.mutation,
            let layer = record.layer, layer.isOpen
        else { return nil }
        return sending(mutation, layer, record)
    }

    private func sending<Mutation: CacheMutation<Server>>(
        _ mutation: Mutation,
        _ layer: OpenLayer,
        _ record: MutationState<Server>.Record
    ) -> @Sendable () async -> (any Error)? {
        { [weak self, server, attempt = record.attempt, resolve = record.resolve, id = record.id] in
            do {
                let response = try await layer.confirm {
                    try await mutation.send(with: server, attempt: attempt)
                } apply: { batch, response in
                    // If the mutation has ended in the meantime, nothing is stored.
                    guard let self, self.state.withLock({ $0.take(id) }) != nil else {
                        throw MutationError.removed
                    }
                    mutation.apply(response, to: batch)
                    batch.remove(PendingMutation.self, id: id)
                    for (old, new) in batch.replacedIdentifiers { self.replace(old, new, batch) }
                }
                resolve(.success(response))
                return nil
            } catch {
                return error
            }
        }
    }

    /// Returns the pause before another attempt, or rolls the mutation back.
    private func pause(
        after error: any Error,
        of id: PendingMutation.ID
    ) -> Task<Void, Never>? {
        guard let record = state.withLock({ $0[id] }), let mutation = record.mutation else {
            return nil
        }
        // All entities were removed. The observation of the mutations ends this one.
        if record.layer?.isOpen == false { return nil }
        let attempt = record.attempt
        switch mutation.onFailure(error, attempt) {
        case .rollBack:
            rollBack(id, error)
            return nil
        case .retry(let duration):
            countFailure(error, of: id)
            return state.withLock { state in
                let pause = Task { [cache] in
                    if let duration {
                        await cache.sleep(for: duration)
                    } else {
                        await cache.sleep(afterFailures: attempt.number)
                    }
                }
                if state.setPause(pause, of: id) { return pause }
                pause.cancel()
                return nil
            }
        }
    }

    /// Counts a failed attempt, also for the next launch.
    private func countFailure(_ error: any Error, of id: PendingMutation.ID) {
        cache.performBatchUpdates { batch in
            // The entity may have been removed, and its record not yet.
            guard var submitted = batch.get(PendingMutation.self, id: id) else { return }
            submitted.failureCount += 1
            submitted.lastError = "\(error)"
            state.withLock { $0.recordFailure(submitted) }
            batch.set(submitted)
        }
    }

    /// Rolls back a mutation, and the later ones that name an entity that it creates.
    func rollBack(_ id: PendingMutation.ID, _ error: any Error) {
        let ended = cache.performBatchUpdates { batch in
            let records = dependents(of: id).compactMap { id in state.withLock { $0.take(id) } }
            for record in records {
                record.layer?.rollBack()
                batch.remove(PendingMutation.self, id: record.id)
            }
            return records
        }
        for record in ended { end(record, error) }
        advance()
    }

    /// Ends a mutation that was taken out of the state, and reports it under no lock.
    func end(_ record: MutationState<Server>.Record, _ error: any Error) {
        record.end(throwing: error)
        guard !record.isEndedElsewhere, let mutation = record.mutation else { return }
        cache.callUnderNoLock { [onRollBack] in onRollBack(mutation, error) }
    }

    /// Returns a mutation, and the later ones that name an entity that one of them creates.
    private func dependents(of id: PendingMutation.ID) -> [PendingMutation.ID] {
        var ids: [PendingMutation.ID] = []
        var created: [CacheKey] = []
        for record in state.withLock({ $0.inOrder }) where record.id >= id {
            let names = { (key: CacheKey) in
                let replaced = ReplacedIdentifier(key)
                var mutation = record.mutation
                mutation?.replace(replaced)
                return replaced.isNamed
            }
            guard record.id == id || created.contains(where: names) else { continue }
            ids.append(record.id)
            created += record.layer?.createdKeys ?? []
        }
        return ids
    }
}
