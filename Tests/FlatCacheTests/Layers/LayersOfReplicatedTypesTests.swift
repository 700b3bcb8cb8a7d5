import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests of layers that edit a type that only a participant writes.
struct LayersOfReplicatedTypesTests {
    private final class Participant: CommitParticipant {}

    private let cache = Cache()
    private let participant = Participant()
    private let token: Disposable
    private let access: CacheAccess

    init() {
        access = CacheAccess(participant, to: cache)
        token = access.takeOver(Book.self, remedy: "is replicated").token
    }

    private func importBook(_ book: Book) {
        access.write(.writing) { transaction in
            _ = transaction.insert(contentsOf: [book]) { ($0, StoredFreshness(), stamp: nil) }
        }
    }

    @Test func editIsShownUntilTheLayerEnds() throws {
        importBook(Book(id: 1, title: "a"))
        let layer = cache.beginLayer("1") { $0.update(Book.self, id: 1) { $0.title = "b" } }
        #expect(cache[Book.self, 1]?.title == "b")
        // Only an import stores the edited value.
        try layer.confirm()
        #expect(cache[Book.self, 1]?.title == "a")
        #expect(cache.confirmed[Book.self, 1]?.title == "a")
    }

    @Test func earlierEditRemainsBeneathConfirmedLaterEdit() throws {
        importBook(Book(id: 1, title: "0"))
        let first = cache.beginLayer("1") { $0.update(Book.self, id: 1) { $0.title = "1" } }
        let second = cache.beginLayer("2") { $0.update(Book.self, id: 1) { $0.title = "2" } }
        try second.confirm()
        #expect(cache[Book.self, 1]?.title == "2")
        first.rollBack()
        #expect(cache[Book.self, 1]?.title == "0")
    }

    @Test func responseOfReplicatedTypeIsRefused() async {
        importBook(Book(id: 1, title: "a"))
        let layer = cache.beginLayer("1") { $0.update(Book.self, id: 1) { $0.title = "b" } }
        await #expect(throws: LayerError.responseOfReplicatedType(label: "1", type: "Book")) {
            try await layer.confirm { Ingestion.current?.collect(Book(id: 1, title: "b")) }
        }
        #expect(layer.isOpen)
        #expect(cache[Book.self, 1]?.title == "b")
        layer.rollBack()
    }
}
