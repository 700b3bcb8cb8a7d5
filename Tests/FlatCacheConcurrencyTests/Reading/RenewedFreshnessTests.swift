import FlatCache
@testable import FlatCacheTestSupport
import Synchronization
import TestSupport
import Testing

@Suite(.exclusive)
struct RenewedFreshnessTests {
    /// A commit invalidates the type and stores the entity again, so no state has a stale one.
    @Test func entityThatEachCommitRenewsIsNeverStale() {
        let cache = Cache()
        cache.limit(Note.self, staleAfter: .seconds(3_600))
        cache.set(Note(id: 1, text: "0"))
        let hasEnded = Atomic(false)
        let staleCount = Atomic(0)
        #expect(
            onThreads {
                for number in 1...3_000 {
                    cache.performBatchUpdates { batch in
                        batch.invalidate(Note.self)
                        batch.set(Note(id: 1, text: "\(number)"))
                    }
                }
                hasEnded.store(true, ordering: .releasing)
            } _: {
                while !hasEnded.load(ordering: .acquiring) {
                    if cache.freshness(of: Note.self, id: 1).isStale {
                        staleCount.add(1, ordering: .relaxed)
                    }
                }
            }
        )
        #expect(staleCount.load(ordering: .relaxed) == 0)
    }
}
