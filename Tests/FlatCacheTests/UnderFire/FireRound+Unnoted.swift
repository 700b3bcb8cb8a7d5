@testable import FlatCache

extension FireRound {
    /// Writes in one of the ways there are, most of which run no code of the test's.
    func writeUnnoted(_ generator: inout SplitMix64) {
        let before = cache.version
        var submission = submit(&generator)
        submission.before = before
        submission.after = cache.version
        submissions.append(submission)
    }

    private func submit(_ generator: inout SplitMix64) -> FireSubmission {
        let id = generator.below(Self.ids)
        let value = newSpark(id, generator.oneIn(3) ? nil : links(&generator))
        switch generator.below(24) {
        case 0..<4:
            let stored = cache.set(value)
            expect(stored.stamp == value.stamp, "\(value) was stored as \(stored).")
            return FireSubmission(stored: [stored.stamp])
        case 4..<7:
            handles[id].value = value
            return FireSubmission(stored: [value.stamp])
        case 7..<9:
            cache.replace(value)
            return FireSubmission(stored: [value.stamp])
        case 9..<12:
            let stored = handles[id].update { $0 = value }
            return FireSubmission(stored: stored.map { [$0.stamp] } ?? [])
        case 12..<15:
            let removed = cache.remove(Spark.self, id: id)
            return FireSubmission(removed: removed.map { [$0.stamp] } ?? [])
        case 15:
            return FireSubmission(removedCount: cache.removeAll(Spark.self))
        case 16..<19:
            let values = (0..<3).map { newSpark((id + $0) % Self.ids, links(&generator)) }
            cache.set(contentsOf: values)
            return FireSubmission(stored: values.map(\.stamp))
        default:
            return cache.performBatchUpdates { batch in
                let next = newSpark((id + 1) % Self.ids, links(&generator))
                batch.set(value)
                cache.set(next)
                let removed = batch.remove(Spark.self, id: (id + 2) % Self.ids)
                return FireSubmission(
                    stored: [value.stamp, next.stamp],
                    removed: removed.map { [$0.stamp] } ?? []
                )
            }
        }
    }
}
