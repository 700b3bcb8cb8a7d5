import Foundation
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct RelatedTests {
    struct Shelf: Codable, Equatable {
        var author: Related<Author>
        var sequel: Related<Book>?
        var books: [Related<Book>]
    }

    struct Page: Identifiable, Sendable { let id: URL }
    struct Day: Identifiable, Sendable { let id: Date }
    struct Device: Identifiable, Sendable { let id: UUID }

    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test func isEncodedAsTheBareIdentifier() throws {
        #expect(try json(Related<Book>(1)) == "1")
        #expect(try json(Related<Author>("le-guin")) == "\"le-guin\"")
        #expect(try json([Related<Book>(1), Related<Book>(2)]) == "[1,2]")
        let shelf = Shelf(author: Related("le-guin"), sequel: nil, books: [Related(1), Related(2)])
        #expect(try json(shelf) == #"{"author":"le-guin","books":[1,2]}"#)
    }

    @Test func isDecodedFromTheBareIdentifier() throws {
        let text = #"{"author":"le-guin","sequel":3,"books":[1,2]}"#
        let shelf = try JSONDecoder().decode(Shelf.self, from: Data(text.utf8))
        #expect(
            shelf
                == Shelf(
                    author: Related("le-guin"),
                    sequel: Related(3),
                    books: [Related(1), Related(2)]
                )
        )
        let without = #"{"author":"le-guin","sequel":null,"books":[]}"#
        #expect(try JSONDecoder().decode(Shelf.self, from: Data(without.utf8)).sequel == nil)
    }

    @Test func identifierOfAnotherTypeIsRefused() {
        let text = #"{"author":7,"books":[]}"#
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Shelf.self, from: Data(text.utf8))
        }
    }

    @Test func identifiersThatCodersTreatSpeciallyAreBareToo() throws {
        let url = try #require(URL(string: "https://example.com/a"))
        #expect(try json([Related<Page>(url)]) == json([url]))
        let decoded = try JSONDecoder().decode(
            [Related<Page>].self,
            from: Data(#"["https://example.com/a"]"#.utf8)
        )
        #expect(decoded == [Related(url)])

        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        let date = Date(timeIntervalSince1970: 0)
        #expect(try encoder.encode([Related<Day>(date)]) == encoder.encode([date]))
    }

    @Test func uuidMakesTheRoundTrip() throws {
        let related = Related<Device>(UUID())
        let data = try JSONEncoder().encode(related)
        #expect(try JSONDecoder().decode(Related<Device>.self, from: data) == related)
    }

    @Test func namesTheEntity() {
        let related = Related<Book>(1)
        #expect(related.id == 1)
        #expect(related.cacheKey == CacheKey(Book.self, id: 1))
        #expect(related == Related(Book(id: 1, title: "whatever")))
        #expect(related != Related(2))
        #expect(Set([related, Related(1), Related(2)]).count == 2)
        #expect(related.description == "Book(1)")
    }

    @Test func resolvesInACache() {
        let cache = Cache()
        let handle = Related<Book>(1).cached(in: cache)
        #expect(handle.value == nil)
        cache.set(Book(id: 1))
        #expect(handle.value == Book(id: 1))
        #expect(cache.cached(Related<Book>(1)) == handle)
        #expect(cache[Related<Book>(1)] == Book(id: 1))
        #expect(cache[Related<Book>(2)] == nil)
        cache.performBatchUpdates { batch in
            batch.set(Book(id: 2))
            #expect(batch[Related<Book>(2)] == Book(id: 2))
        }
    }

    @Test func referenceMayStandInATypeThatRefersToItself() {
        // A struct can't contain a value of its own type, but it can contain a reference to one.
        let cache = Cache()
        cache.set(Book(id: 1, sequel: 1))
        #expect(cache[Book.self, 1]?.sequel?.cached(in: cache).value?.id == 1)
    }

    @Test func readsItsValueFromCacheBatchAndSnapshot() {
        let cache = Cache()
        let related = Related<Note>(1)
        #expect(related.value(in: cache) == nil)
        cache.performBatchUpdates { batch in
            batch.set(Note(id: 1, text: "A"))
            #expect(related.value(in: batch)?.text == "A")
            #expect(related.value(in: cache) == nil)
        }
        #expect(related.value(in: cache)?.text == "A")
        cache.withSnapshot { snapshot in
            cache.remove(Note.self, id: 1)
            #expect(related.value(in: snapshot)?.text == "A")
        }
    }
}
