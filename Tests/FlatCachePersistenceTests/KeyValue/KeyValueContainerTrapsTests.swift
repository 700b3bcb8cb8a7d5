#if DEBUG && !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
import Testing

@testable import FlatCachePersistence

@Suite struct KeyValueContainerTrapsTests {
    @Test func keyThatIsClaimedForTwoTypesTraps() async {
        await #expect(processExitsWith: .failure) {
            let storage = InMemoryStorage<String, PropertyListValue>()
            _ = storage.makeContainer(key: "a", defaultValue: 1) as KeyValueContainer<Int>
            _ = storage.makeContainer(key: "a", defaultValue: "") as KeyValueContainer<String>
        }
    }
}
#endif
