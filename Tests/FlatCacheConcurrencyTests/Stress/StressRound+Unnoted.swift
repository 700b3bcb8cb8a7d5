@testable import FlatCache
@testable import FlatCacheTestSupport

extension StressRound {
    /// Writes in a random way, usually without running code of the test under the writers' lock.
    func writeUnnoted(_ generator: inout SplitMix64) {
        let before = cache.version
        var submission = submit(&generator)
        submission.before = before
        submission.after = cache.version
        submissions.append(submission)
    }

    private func submit(_ generator: inout SplitMix64) -> StressSubmission {
        let id = generator.below(Self.ids)
        let value = newEntity(id, generator.oneIn(3) ? nil : links(&generator))
        switch generator.below(24) {
        case 0..<4:
            let stored = cache.set(value)
            expect(stored.stamp == value.stamp, "\(value) was stored as \(stored).")
            return StressSubmission(stored: [stored.stamp])
        case 4..<7:
            handles[id].value = value
            return StressSubmission(stored: [value.stamp])
        case 7..<9:
            cache.replace(value)
            return StressSubmission(stored: [value.stamp])
        case 9..<12:
            let stored = handles[id].update { $0 = value }
            return StressSubmission(stored: stored.map { [$0.stamp] } ?? [])
        case 12..<15:
            let removed = cache.remove(StressEntity.self, id: id)
            return StressSubmission(removed: removed.map { [$0.stamp] } ?? [])
        case 15:
            return StressSubmission(removedCount: cache.removeAll(StressEntity.self))
        case 16..<19:
            let values = (0..<3).map { newEntity((id + $0) % Self.ids, links(&generator)) }
            cache.set(contentsOf: values)
            return StressSubmission(stored: values.map(\.stamp))
        default:
            return cache.performBatchUpdates { batch in
                let next = newEntity((id + 1) % Self.ids, links(&generator))
                batch.set(value)
                cache.set(next)
                let removed = batch.remove(StressEntity.self, id: (id + 2) % Self.ids)
                return StressSubmission(
                    stored: [value.stamp, next.stamp],
                    removed: removed.map { [$0.stamp] } ?? []
                )
            }
        }
    }
}
