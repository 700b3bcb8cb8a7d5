import FlatCache
import Testing

@testable import FlatCacheTestSupport

struct DescriptionWaitingTests {
    @Test func descriptionDoesNotWaitForAWriter() async throws {
        let cache = Cache()
        cache.set(Note(id: 1, text: "a"))
        let (hasBegun, mayEnd) = (Signal(), Signal())
        let writing = Task {
            try await onOwnThread {
                cache.performBatchUpdates { batch in
                    batch.set(Note(id: 2, text: "b"))
                    hasBegun.fire()
                    _ = mayEnd.wait()
                }
            }
        }
        #expect(await until { hasBegun.isFired })
        #expect("\(cache)" == "Cache (version: 1, observers: 0, Note: 1)")
        mayEnd.fire()
        try await writing.value
        #expect("\(cache)" == "Cache (version: 2, observers: 0, Note: 2)")
    }
}
