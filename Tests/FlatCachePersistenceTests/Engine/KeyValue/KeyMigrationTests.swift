import FlatCache
import Testing

@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

@Suite struct KeyMigrationTests {
    private let shelf = Shelf(storage: RefusingStorage())

    private var stored: [String: PropertyListValue] { shelf.storage.values.withLock { $0 } }

    private func make(
        _ behaviour: DefaultValuePersistBehaviour = []
    ) -> KeyValueContainer<Int> {
        shelf.makeContainer(
            key: "new",
            migratingFrom: "old",
            defaultValue: 0,
            defaultValuePersistBehaviour: behaviour
        )
    }

    @Test func valueMoves() throws {
        try shelf.storage.storeValue(.integer(5), key: "old")
        #expect(make().value == 5)
        #expect(stored == ["new": .integer(5)])
        #expect(shelf.reported.isEmpty)
    }

    @Test func optionalMoves() throws {
        try shelf.storage.storeValue(.integer(5), key: "old")
        let container: KeyValueContainer<Int?> = shelf.makeContainer(
            key: "new",
            migratingFrom: "old"
        )
        #expect(container.value == 5)
        #expect(stored == ["new": .integer(5)])
    }

    @Test func withoutAnOldValueNothingHappens() throws {
        #expect(make().value == 0)
        #expect(stored.isEmpty && shelf.reported.isEmpty)
    }

    @Test func ifBothExistTheNewOneCountsAndTheOldOneStays() throws {
        try shelf.storage.storeValue(.integer(5), key: "old")
        try shelf.storage.storeValue(.integer(6), key: "new")
        #expect(make().value == 6)
        #expect(stored == ["new": .integer(6), "old": .integer(5)])
    }

    @Test func moveThatWasCutOffIsFinished() throws {
        try shelf.storage.storeValue(.integer(5), key: "old")
        try shelf.storage.storeValue(.integer(5), key: "new")
        #expect(make().value == 5)
        #expect(stored == ["new": .integer(5)])
    }

    @Test func removedValueDoesNotComeBack() throws {
        try shelf.storage.storeValue(.integer(5), key: "old")
        try shelf.storage.storeValue(.integer(6), key: "new")
        try make().removeValue()
        #expect(stored.isEmpty)
    }

    @Test func itMovesOnce() throws {
        #expect(make().value == 0)
        try shelf.storage.storeValue(.integer(5), key: "old")
        #expect(make().value == 0)
        #expect(stored == ["old": .integer(5)])
    }

    @Test func unreadableOldValueStaysAndIsMovedLater() throws {
        try shelf.storage.storeValue(.integer(5), key: "old")
        shelf.storage.unreadable.withLock { _ = $0.insert("old") }
        #expect(make(.persistWhenNil).value == 0)
        #expect(shelf.reported == [.read])
        #expect(stored == ["old": .integer(5)], "no default takes the new key's place")
        shelf.storage.unreadable.withLock { $0 = [] }
        #expect(make(.persistWhenNil).value == 5)
    }

    @Test func oldValueOfAnotherTypeStays() throws {
        try shelf.storage.storeValue(.string("5"), key: "old")
        #expect(make().value == 0)
        #expect(shelf.reported == [.untransform])
        #expect(stored == ["old": .string("5")])
    }

    @Test func oldValueStaysIfTheNewKeyCannotBeWritten() throws {
        try shelf.storage.storeValue(.integer(5), key: "old")
        shelf.storage.unwritable.withLock { _ = $0.insert("new") }
        #expect(make().value == 0)
        #expect(shelf.reported == [.write])
        #expect(stored == ["old": .integer(5)])
    }

    @Test func oldValueIsMovedEvenIfItCannotBeRemoved() throws {
        try shelf.storage.storeValue(.integer(5), key: "old")
        shelf.storage.unwritable.withLock { _ = $0.insert("old") }
        #expect(make().value == 5)
        #expect(shelf.reported == [.remove])
        shelf.storage.unwritable.withLock { $0 = [] }
        #expect(make().value == 5)
        #expect(stored == ["new": .integer(5)])
    }

    @Test func concurrentMovesMoveTheValueOnceAndOverwriteNoOther() async throws {
        for _ in 0..<50 {
            let shelf = Shelf(storage: RefusingStorage())
            try shelf.storage.storeValue(.integer(1), key: "old")
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        let container: KeyValueContainer<Int> = shelf.makeContainer(
                            key: "new",
                            migratingFrom: "old",
                            defaultValue: 0
                        )
                        do {
                            try container.update { $0 += 1 }
                        } catch {
                            Issue.record(error)
                        }
                    }
                }
            }
            #expect(shelf.storage.values.withLock { $0 } == ["new": .integer(9)])
        }
    }
}
