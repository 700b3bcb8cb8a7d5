import Testing

@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

struct SharedUbiquitousStoreThreadsTests {
    @Test func threadsTogetherDontExceedTheLimits() async {
        let store = FakeUbiquitousStore()
        let storage = SharedUbiquitousStore(store)
        for number in 0..<1014 { store.set(.bool(true), forKey: "\(number)") }
        let refused = Recorder<Int>()
        let ended = await withThreads(4) { thread in
            for number in 0..<5 {
                do {
                    try storage.storeValue(.bool(true), key: "\(thread)-\(number)")
                } catch {
                    refused.append(1)
                }
            }
        }
        #expect(ended)
        #expect(store.values().count == 1024)
        #expect(refused.count == 10)
    }
}
