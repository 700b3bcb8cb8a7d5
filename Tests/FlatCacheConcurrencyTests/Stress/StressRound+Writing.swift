@testable import FlatCache
@testable import FlatCacheTestSupport

extension StressRound {
    private struct Refusal: Error {}

    /// Writes several values in a batch with nested batches, each of which may throw.
    func transact(_ generator: inout SplitMix64) {
        do {
            try cache.performBatchUpdates { batch throws(Refusal) in
                var contents = writes.contents
                try fill(batch, &contents, depth: 0, &generator)
                writes.record(contents, base: cache.version)
            }
        } catch {
            // The batch rolled back, so there is no change to record.
        }
    }

    /// Runs a closure in a batch and records the contents that it leaves.
    func transact(_ body: (CacheBatch, inout [StressEntity.ID: StressEntity]) -> Void) {
        cache.performBatchUpdates { batch in
            var contents = writes.contents
            body(batch, &contents)
            writes.record(contents, base: cache.version)
        }
    }

    private func fill(
        _ batch: CacheBatch,
        _ contents: inout [StressEntity.ID: StressEntity],
        depth: Int,
        _ generator: inout SplitMix64
    ) throws(Refusal) {
        for _ in 0...generator.below(4) {
            if generator.oneIn(8) { yieldToOtherThreads() }
            switch generator.below(12) {
            case 0 where depth < 2:
                var inner = contents
                do {
                    try cache.performBatchUpdates { batch throws(Refusal) in
                        try fill(batch, &inner, depth: depth + 1, &generator)
                    }
                    contents = inner
                } catch {
                    expect(isShown(contents, by: batch), "An inner batch that threw left a change.")
                }
            case 1 where depth == 0: observe(&generator)
            case 2 where manner == .pruned: prune(in: batch, &contents)
            default: write(in: batch, &contents, &generator)
            }
        }
        if generator.oneIn(6) { throw Refusal() }
    }

    private func isShown(_ contents: [StressEntity.ID: StressEntity], by batch: CacheBatch) -> Bool
    {
        (0..<Self.ids).allSatisfy { batch[StressEntity.self, $0] == contents[$0] }
            && batch.count(of: StressEntity.self) == contents.count
    }

    /// Writes one value through the batch, the cache or a handle.
    private func write(
        in batch: CacheBatch,
        _ contents: inout [StressEntity.ID: StressEntity],
        _ generator: inout SplitMix64
    ) {
        let id = generator.below(Self.ids)
        let before = contents[id]
        let value = newEntity(id, generator.oneIn(3) ? nil : links(&generator))
        switch generator.below(12) {
        case 0..<5:
            set(value, in: batch, &contents)
        case 5:
            cache.set(value)
            contents[id] = before?.merged(with: value) ?? value
        case 6:
            handles[id].value = value
            contents[id] = before?.merged(with: value) ?? value
        case 7:
            let stored = batch.replace(value)
            expect(stored == value, "\(value) was replaced by \(stored).")
            contents[id] = value
        case 8:
            let stored = handles[id].update { $0 = value }
            if before != nil { contents[id] = value }
            expect(stored == contents[id], "An update left \(String(describing: stored)).")
        case 9, 10:
            guard mayRemove(id) else { return }
            let removed = generator.oneIn(2) ? batch.remove(StressEntity.self, id: id) : before
            if removed == before { handles[id].value = nil }
            expect(removed == before, "\(String(describing: removed)) was removed.")
            contents[id] = nil
        default:
            // A change and its reversal in one batch, which must have no effect.
            guard let before else { return }
            batch.replace(value)
            batch.replace(before)
        }
    }

    func set(
        _ value: StressEntity,
        in batch: CacheBatch,
        _ contents: inout [StressEntity.ID: StressEntity]
    ) {
        let expected = contents[value.id]?.merged(with: value) ?? value
        let stored = batch.set(value)
        expect(stored == expected, "\(expected) was stored as \(stored).")
        contents[value.id] = expected
    }

    private func mayRemove(_ id: StressEntity.ID) -> Bool {
        manner == .pruned || id >= Self.lastingIDs
    }

    func links(_ generator: inout SplitMix64) -> StressEntityIDs {
        StressEntityIDs((0..<generator.below(4)).map { _ in generator.below(Self.ids) })
    }

    /// Updates one value outside a batch.
    func update(_ generator: inout SplitMix64) {
        let id = generator.below(Self.ids)
        let links = links(&generator)
        let isRefused = generator.oneIn(6)
        let change: (inout StressEntity) throws(Refusal) -> Void = { [self] value throws(Refusal) in
            let expected = writes.contents[id]
            expect(value == expected, "An update found \(value).")
            yieldToOtherThreads()
            value = newEntity(id, links)
            if isRefused { throw Refusal() }
            writes.record(value, base: cache.version)
        }
        do {
            if generator.oneIn(2) {
                try cache.update(StressEntity.self, id: id, change)
            } else {
                try handles[id].update(change)
            }
        } catch {
            // The update threw, so there is no change to record.
        }
    }

    /// Merges a new value into a stored one, outside a batch.
    func merge(_ generator: inout SplitMix64) {
        let id = generator.below(Self.lastingIDs)
        var value = newEntity(id, generator.oneIn(2) ? nil : links(&generator))
        value.onMerge = { [self] existing, result in
            let expected = writes.contents[id]
            expect(existing == expected, "A merge found \(existing).")
            writes.record(result, base: cache.version)
        }
        if generator.oneIn(2) { cache.set(value) } else { handles[id].value = value }
    }

    /// Removes unobserved values in a batch of its own.
    func prune() {
        transact { batch, contents in prune(in: batch, &contents) }
    }

    private func prune(in batch: CacheBatch, _ contents: inout [StressEntity.ID: StressEntity]) {
        let start = clock.tick()
        let removed = cache.pruneUnobservedValues()
        let end = clock.tick()
        let kept = batch.ids(of: StressEntity.self)
        expect(
            kept.count + removed == contents.count && kept.allSatisfy { contents[$0] != nil },
            "Of \(contents.count) values \(removed) were removed, and \(kept.count) remained."
        )
        writes.record(
            StressPrune(contents: contents, kept: StressEntityIDs(kept), start: start, end: end)
        )
        contents = contents.filter { kept.contains($0.key) }
    }
}
