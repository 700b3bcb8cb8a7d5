import FlatCachePersistence
import Testing

@testable import FlatCache

struct PersisterTrapsTests {
    @Test func defaultValueThatNeedsItselfTrapsInsteadOfWaitingForItself() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let reader = Locked<Persister<Int>?>(nil)
            let persister = Persister(
                key: "volume",
                storedBy: InMemoryStorage<String, PropertyListValue>(),
                defaultValue: reader.withLock { $0 }?.retrieveValue() ?? 0
            )
            reader.withLock { $0 = persister }
            _ = persister.retrieveValue()
        }
        #expect(result?.message.contains("default value of 'volume' in memory") == true)
    }
}
