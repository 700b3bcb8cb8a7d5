import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct MergeableTests {
    @Test func mergeInPlaceIsMerged() {
        var book = Book(id: 1, title: "A", year: 1)
        book.merge(with: Book(id: 1, year: 2))
        #expect(book == Book(id: 1, title: "A", year: 2))
    }

    @Test func traitsOfATypeAreFound() {
        let ofBook = ValueTraits<Book>()
        #expect(
            ofBook.merge?(Book(id: 1, title: "A"), Book(id: 1, year: 2))
                == Book(id: 1, title: "A", year: 2)
        )
        #expect(ofBook.isEqual?(Book(id: 1), Book(id: 1)) == true)
        #expect(ofBook.isEqual?(Book(id: 1), Book(id: 2)) == false)
        #expect(ofBook.relatedCacheKeys?(Book(id: 1, sequel: 2)) == [CacheKey(Book.self, id: 2)])

        let ofNote = ValueTraits<Note>()
        #expect(ofNote.merge == nil)
        #expect(ofNote.isEqual == nil)
        #expect(ofNote.relatedCacheKeys == nil)

        let ofAuthor = ValueTraits<Author>()
        #expect(ofAuthor.merge == nil)
        #expect(ofAuthor.isEqual != nil)
        #expect(ofAuthor.relatedCacheKeys != nil)
    }

    /// A type that conforms only for some contents.
    struct Box<Content: Sendable>: Identifiable, Sendable {
        let id: Int
        var content: Content
    }

    @Test func conditionalConformancesApplyIfTheirConditionHolds() {
        #expect(ValueTraits<Box<Int>>().isEqual != nil)
        #expect(ValueTraits<Box<Note>>().isEqual == nil)

        let cache = Cache()
        cache.set(Box(id: 1, content: 5))
        cache.set(Box(id: 1, content: 5))
        #expect(cache.version == 1)
        let note = Note(id: 1, text: "")
        cache.set(Box(id: 1, content: note))
        cache.set(Box(id: 1, content: note))
        #expect(cache.version == 3)
    }

    /// A reference type, which the cache stores as well.
    final class Draft: Identifiable, Sendable, Mergeable {
        let id: Int
        let texts: [String]

        init(id: Int, texts: [String]) {
            self.id = id
            self.texts = texts
        }

        func merged(with other: Draft) -> Draft {
            Draft(id: id, texts: texts + other.texts)
        }
    }

    @Test func classesMergeToo() {
        let cache = Cache()
        cache.set(Draft(id: 1, texts: ["a"]))
        cache.set(Draft(id: 1, texts: ["b"]))
        #expect(cache[Draft.self, 1]?.texts == ["a", "b"])
    }

    enum Setting: String, Identifiable, Sendable {
        case dark, light
        var id: String { "theme" }
    }

    @Test func enumerationsAreStoredToo() {
        let cache = Cache()
        cache.set(Setting.dark)
        cache.set(Setting.light)
        #expect(cache[Setting.self, "theme"] == .light)
        #expect(cache.version == 2)
    }
}

extension MergeableTests.Box: Equatable where Content: Equatable {}
