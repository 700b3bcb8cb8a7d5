import FlatCachePersistence
import Testing

@testable import FlatCachePersistenceTestSupport

/// Several threads that use one object.
struct PersistentObjectThreadsTests {
    private typealias Numbers = PersistentObject<[Int]>

    @Test func concurrentUpdatesLoseNoChange() async throws {
        let repository = MemoryRepository("[0]")
        let object = Numbers(repository: repository.key, onError: { Issue.record($0) })
        let ended = await withThreads(4) { _ in
            for _ in 0..<200 { object.update { $0?[0] += 1 } }
        }
        #expect(ended)
        #expect(object.object == [800])
        try object.save()
        #expect(repository.text == "[800]")
    }

    @Test func defaultIsEvaluatedOnceAndNotStored() async throws {
        let repository = MemoryRepository()
        let evaluations = Recorder<Int>()
        let object = Numbers(
            repository: repository.key,
            defaultValue: {
                evaluations.append(1)
                return [5]
            }()
        )
        #expect(evaluations.count == 0)
        #expect(await withThreads(4) { _ in _ = object.object })
        #expect(object.object == [5])
        try object.save()
        #expect(repository.saveCount == 0)
        object.update { $0?.append(6) }
        try object.save()
        #expect(repository.text == "[5,6]")
        object.object = nil
        #expect(object.object == [5])
        #expect(evaluations.count == 1)
    }
}
