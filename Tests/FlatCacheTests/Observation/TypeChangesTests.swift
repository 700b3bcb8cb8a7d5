import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct TypeChangesTests {
    private func change(_ id: Int, _ kind: EntityChange<Note>.Kind) -> EntityChange<Note> {
        EntityChange(id: id, kind: kind, old: nil, new: nil, version: 3)
    }

    @Test func sortsItsChangesByKindAndKeepsTheirOrder() {
        let commit = TypeChanges(
            [
                change(1, .updated), change(2, .removed(.explicit)), change(3, .inserted),
                change(4, .updated), change(5, .inserted), change(6, .removed(.explicit)),
            ],
            version: 3
        )
        #expect(commit.changes.map(\.id) == [1, 2, 3, 4, 5, 6])
        #expect(commit.inserted.map(\.id) == [3, 5])
        #expect(commit.updated.map(\.id) == [1, 4])
        #expect(commit.removed.map(\.id) == [2, 6])
        #expect(commit.version == 3)
    }

    @Test func isEquatableIfItsValuesAre() {
        func commit(_ title: String, _ version: UInt64) -> TypeChanges<Book> {
            let book = Book(id: 1, title: title)
            return TypeChanges(
                [EntityChange(id: 1, kind: .inserted, old: nil, new: book, version: version)],
                version: version
            )
        }
        #expect(commit("A", 1) == commit("A", 1))
        #expect(commit("A", 1) != commit("B", 1))
        #expect(commit("A", 1) != commit("A", 2))
        #expect(commit("A", 1) != TypeChanges([], version: 1))
    }

    @Test func holdsValuesBeforeAndAfter() {
        let cache = Cache()
        cache.set(contentsOf: [Note(id: 1, text: "a"), Note(id: 2, text: "b")])
        let commits = Recorder<TypeChanges<Note>>()
        let observation = cache.observeAll(Note.self) { commits.append($0) }
        cache.performBatchUpdates { batch in
            batch.set(Note(id: 1, text: "in between"))
            batch.set(Note(id: 3, text: "c"))
            batch.remove(Note.self, id: 2)
            batch.set(Note(id: 1, text: "A"))
        }
        #expect(commits.all.map(\.version) == [cache.version])
        let changes = commits.all.flatMap(\.changes)
        #expect(changes.map(\.id) == [1, 3, 2])
        #expect(changes.map(\.kind) == [.updated, .inserted, .removed(.explicit)])
        #expect(changes.map { $0.old?.text } == ["a", nil, "b"])
        #expect(changes.map { $0.new?.text } == ["A", "c", nil])
        #expect(changes.allSatisfy { $0.version == cache.version })
        observation.dispose()
    }

    @Test func onlyCauseOfEachChangeIsTheEntityItself() {
        let cache = Cache()
        cache.set(contentsOf: [Book(id: 1, sequel: 2), Book(id: 2)])
        let causes = Recorder<[Set<CacheKey>]>()
        let observation = cache.observeAll(Book.self) { commit in
            causes.append(commit.changes.map(\.causes))
        }
        cache.set(contentsOf: [Book(id: 1, title: "A"), Book(id: 2, title: "B")])
        #expect(
            causes.all == [[[CacheKey(Book.self, id: 1)], [CacheKey(Book.self, id: 2)]]]
        )
        observation.dispose()
    }
}
