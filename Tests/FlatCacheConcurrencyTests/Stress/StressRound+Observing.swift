import Synchronization
@testable import FlatCache
@testable import FlatCacheTestSupport

extension StressRound {
    private static let reaches: [RelationshipDepth] = [
        .allRelationships, .allRelationships, .allRelationships, .none, .levels(1), .levels(2),
    ]

    private static let conducts: [StressObservation.Conduct] = [
        .listens, .listens, .listens, .writes, .endsItself, .observesAnew,
    ]

    func observe(_ generator: inout SplitMix64) {
        let observation = StressObservation(
            id: generator.below(Self.ids),
            following: generator.pick(Self.reaches),
            isInitial: generator.oneIn(3),
            isOfChanges: !generator.oneIn(4),
            conduct: generator.pick(Self.conducts)
        )
        begin(observation, throughHandle: generator.oneIn(2))
        live.withLock { $0.append(observation) }
    }

    /// Observes an entity until the end of the round.
    func witness(_ id: StressEntity.ID) -> StressObservation {
        let witness = StressObservation(
            id: id,
            following: .none,
            isInitial: false,
            isOfChanges: true,
            conduct: .listens
        )
        begin(witness, throughHandle: false)
        return witness
    }

    private func begin(_ observation: StressObservation, throughHandle: Bool) {
        observations.append(observation)
        let earliest = (version: cache.version, time: clock.tick())
        let token = token(of: observation, throughHandle: throughHandle)
        observation.hasBegun(with: token) { record in
            record.registration = .init(earliest: earliest.version, latest: cache.version)
            record.beginning = .init(earliest: earliest.time, latest: clock.tick())
        }
    }

    private func token(of observation: StressObservation, throughHandle: Bool) -> Disposable {
        let receipt = Receipt { [self] in released.withLock { $0 += 1 } }
        let changed: @Sendable (EntityChange<StressEntity>) -> Void = { [self] change in
            let causes = StressEntity.ids(of: change.causes)
            expect(causes != nil, "A key that no thread has written is a cause.")
            expect(change.id == observation.id, "\(observation) received a change of \(change.id).")
            let event = StressEvent(
                // If an observation begins in a batch that has pruned its entity, its change has
                // the reason of the prune. The model doesn't distinguish reasons.
                kind: change.kind.isRemoval ? .removed(.explicit) : change.kind,
                old: change.old,
                new: change.new,
                causes: causes ?? StressEntityIDs(),
                version: change.version
            )
            hear(event, by: observation)
            withExtendedLifetime(receipt) {}
        }
        let received: @Sendable (StressEntity) -> Void = { [self] value in
            let event = StressEvent(
                kind: .updated,
                new: value,
                causes: StressEntityIDs(),
                version: 0
            )
            hear(event, by: observation)
            withExtendedLifetime(receipt) {}
        }
        let (id, isInitial) = (observation.id, observation.isInitial)
        let following = observation.following
        switch (observation.isOfChanges, throughHandle) {
        case (true, true):
            return handles[id].following(following).observeChanges(initial: isInitial, changed)
        case (true, false):
            return cache.cached(StressEntity.self, id: id).following(following).observeChanges(
                initial: isInitial,
                changed
            )
        case (false, true):
            return handles[id].following(following).observe(initial: isInitial, received)
        case (false, false):
            return cache.cached(StressEntity.self, id: id).following(following).observe(
                initial: isInitial,
                received
            )
        }
    }

    private func hear(_ event: StressEvent, by observation: StressObservation) {
        let number = observation.noteCall(StressCall(event: event, start: clock.tick()))
        expect(
            event.version <= cache.version,
            "\(observation) received a version that isn't published yet."
        )
        // Yielding here makes it likely that other threads commit during the delivery.
        if number % 8 == 0 { yieldToOtherThreads() }
        react(to: event, number, by: observation)
        observation.note { $0.calls[number].end = clock.tick() }
    }

    private func react(to event: StressEvent, _ number: Int, by observation: StressObservation) {
        let stamp = event.new?.stamp ?? number
        var generator = SplitMix64(seed: seed, stream: stamp)
        switch observation.conduct {
        case .listens:
            break
        case .writes:
            guard takeReaction() else { return }
            write(&generator)
        case .endsItself:
            if number >= 3 { end(observation) }
        case .observesAnew:
            guard generator.oneIn(8), takeReaction() else { return }
            endOne(&generator)
            observe(&generator)
        }
    }

    /// Ends a random observation, if one is active.
    func endOne(_ generator: inout SplitMix64) {
        let chosen = live.withLock { live in
            live.isEmpty ? nil : live.remove(at: generator.below(live.count))
        }
        if let chosen { end(chosen) }
    }

    /// Ends an observation, unless another thread has begun to end it.
    func end(_ observation: StressObservation) {
        var token = observation.takeToken()
        if token == nil { return }
        let earliest = clock.tick()
        // Some observations end because their token is released. `begin` may still hold a
        // reference.
        let mayGo = earliest % 3 == 0 && isKnownUniquelyReferenced(&token)
        if mayGo { token = nil } else { token?.dispose() }
        let latest = clock.tick()
        observation.note { record in
            record.end = .init(earliest: earliest, latest: latest)
            record.endVersion = cache.version
        }
    }
}
