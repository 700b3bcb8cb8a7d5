import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

/// Several threads and tasks that use containers of one key.
struct KeyValueContainerThreadsTests {
    @Test func concurrentUpdatesLoseNothing() async throws {
        let storage = InMemoryStorage<String, Data>()
        let container: KeyValueContainer<Int> = storage.makeContainer(key: "n", defaultValue: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<100 { try container.update { $0 += 1 } } }
            }
            try await group.waitForAll()
        }
        #expect(container.value == 800)
    }

    @Test func unsavedValuesAreReadWhileOtherThreadsUseTheKey() async {
        let shelf = Shelf(storage: RefusingStorage())
        let last = RandomTestSettings.repetitions(200)
        @Sendable func make() -> KeyValueContainer<Int> {
            shelf.makeContainer(key: "a", defaultValue: 0)
        }
        let isDone = Locked(false)
        let ended = await withThreads(4) { index in
            guard index == 0 else {
                while !isDone.withLock({ $0 }) { _ = make().value }
                return
            }
            for number in 1...last {
                shelf.storage.unwritable.withLock { $0 = ["a"] }
                make().value = number
                #expect(make().value == number)
                shelf.storage.unwritable.withLock { $0 = [] }
                make().value = -number
            }
            isDone.withLock { $0 = true }
        }
        #expect(ended)
        #expect(shelf.storage.values.withLock { $0 } == ["a": .integer(Int64(-last))])
        #expect(shelf.storage.channels.openKeys().isEmpty)
    }
}
