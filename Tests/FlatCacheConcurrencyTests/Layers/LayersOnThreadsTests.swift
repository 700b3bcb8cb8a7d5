import Synchronization
import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Layers beside writers and readers on other threads.
@Suite(.exclusive)
struct LayersOnThreadsTests {
    struct Tagged: Identifiable, Equatable, Sendable {
        let id: Int
        var tags: Set<Int> = []
        var revision = 0
    }

    /// Each edit adds a different tag, so the tags of a value name the edits that it contains.
    @Test func editsAreShownWhileTheirLayersAreOpenAndKeptIfConfirmed() {
        let cache = Cache()
        let ids = 0..<3
        cache.set(contentsOf: ids.map { Tagged(id: $0) })
        let (threadCount, editCount) = (3, 60)
        let kept = Mutex<[Int: Set<Int>]>([:])
        let isDone = Atomic(false)
        let hasEnded = onThreads(threadCount + 2) { thread in
            if thread == threadCount {
                // The server changes another property.
                var revision = 0
                while !isDone.load(ordering: .relaxed) {
                    revision += 1
                    for id in ids {
                        cache.update(Tagged.self, id: id) { $0.revision = revision }
                    }
                }
                return
            }
            if thread == threadCount + 1 {
                var last = [0, 0, 0]
                while !isDone.load(ordering: .relaxed) {
                    cache.withSnapshot { snapshot in
                        for id in ids {
                            let visible = snapshot[Tagged.self, id]
                            let confirmed = snapshot.confirmed[Tagged.self, id]
                            #expect(visible?.tags.isSuperset(of: confirmed?.tags ?? [-1]) == true)
                            #expect(visible?.revision == confirmed?.revision)
                            #expect(visible?.revision ?? 0 >= last[id])
                            last[id] = visible?.revision ?? 0
                        }
                    }
                }
                return
            }
            for number in 0..<editCount {
                let (id, tag) = (number % ids.count, thread * editCount + number)
                let layer = cache.beginLayer("\(tag)") { layer in
                    layer.update(Tagged.self, id: id) { $0.tags.insert(tag) }
                }
                #expect(cache[Tagged.self, id]?.tags.contains(tag) == true)
                #expect(cache.cached(Tagged.self, id: id).isPending)
                if number.isMultiple(of: 4) {
                    layer.rollBack()
                    #expect(cache[Tagged.self, id]?.tags.contains(tag) == false)
                } else {
                    try? layer.confirm()
                    #expect(cache[Tagged.self, id]?.tags.contains(tag) == true)
                    kept.withLock { _ = $0[id, default: []].insert(tag) }
                }
            }
            if kept.withLock({ $0.values.reduce(0) { $0 + $1.count } })
                == threadCount * editCount * 3 / 4
            {
                isDone.store(true, ordering: .relaxed)
            }
        }
        #expect(hasEnded)
        for id in ids {
            #expect(cache[Tagged.self, id]?.tags == kept.withLock { $0[id] })
            #expect(cache.confirmed[Tagged.self, id] == cache[Tagged.self, id])
        }
        #expect(cache.pendingLayers.elements.isEmpty)
        cache.core.checkInvariants()
    }
}
