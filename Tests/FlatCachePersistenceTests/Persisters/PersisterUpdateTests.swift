import FlatCache
import Foundation
import Testing

@testable import FlatCachePersistence

struct PersisterUpdateTests {
    @Test func updateOfATestEqualsTheOneThatAListenerReceives() throws {
        let persister = Persister(
            key: "a",
            storedBy: InMemoryStorage<String, Int>(),
            defaultValue: 5
        )
        let updates = Recorder<Persister<Int>.Update>()
        let listening = persister.addUpdateListener {
            updates.append((try? $0.get()) ?? .persisted(-1))
        }
        try persister.persist(1)
        try persister.removeValue()
        #expect(updates.all == [.persisted(1), .removed(defaultValue: 5)])
        #expect(updates.all.map(\.event.value) == [1, nil])
        #expect(updates.all.map(\.newValue) == [1, 5])
        #expect(Set(updates.all).count == 2)
        listening.dispose()
    }

    @Test func propertySharesAPersister() throws {
        let persister = Persister(
            key: "a",
            storedBy: InMemoryStorage<String, Int>(),
            defaultValue: 5
        )
        let property = Persisted(persister: persister)
        property.wrappedValue = 6
        #expect(persister.retrieveValue() == 6)
    }

    @Test func defaultOfAnImplicitlyUnwrappedPropertyIsStored() throws {
        struct Installation: Sendable {
            static let storage = InMemoryStorage<String, PropertyListValue>()
            @Persisted(
                key: "id",
                storedBy: storage,
                defaultValue: UUID(),
                defaultValuePersistBehaviour: .all
            )
            var id: UUID!
        }
        let id = Installation().id
        #expect(id != nil)
        #expect(Installation().id == id)
    }
}
