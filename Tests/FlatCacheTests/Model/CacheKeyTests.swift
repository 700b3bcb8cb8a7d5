import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct CacheKeyTests {
    enum First {
        struct Item: Identifiable, Sendable { let id: Int }

        enum Nested {
            struct Item: Identifiable, Sendable { let id: Int }
        }
    }

    enum Second {
        struct Item: Identifiable, Sendable { let id: Int }
    }

    struct Box<Content: Sendable>: Identifiable, Sendable {
        let id: Int
    }

    struct ByString: Identifiable, Sendable { let id: String }
    struct ByNumber: Identifiable, Sendable { let id: Int }

    struct ByEither: Identifiable, Sendable {
        enum ID: Hashable, Sendable {
            case number(Int)
            case text(String)
        }
        let id: ID
    }

    @Test func sameTypeAndIdentifierMakeTheSameKey() {
        let key = CacheKey(Book.self, id: 1)
        #expect(key == CacheKey(Book(id: 1, title: "whatever")))
        #expect(key.hashValue == CacheKey(Book.self, id: 1).hashValue)
        #expect(key != CacheKey(Book.self, id: 2))
        #expect(key != CacheKey(Note.self, id: 1))
    }

    @Test func typesOfOneNameDoNotShareKeys() {
        let keys: Set = [
            CacheKey(First.Item.self, id: 1), CacheKey(Second.Item.self, id: 1),
            CacheKey(First.Nested.Item.self, id: 1), CacheKey(Box<Int>.self, id: 1),
            CacheKey(Box<String>.self, id: 1), CacheKey(Box<First.Item>.self, id: 1),
            CacheKey(Box<Second.Item>.self, id: 1),
        ]
        #expect(keys.count == 7)
    }

    @Test func typesOfOneNameDoNotShareEntities() {
        let cache = Cache()
        let received = Recorder<String>()
        let observation = cache.cached(First.Item.self, id: 1).observe { _ in
            received.append("first")
        }
        cache.set(Second.Item(id: 1))
        cache.set(First.Nested.Item(id: 1))
        #expect(cache[First.Item.self, 1] == nil)
        #expect(cache.count(of: Second.Item.self) == 1)
        #expect(received.all == [])
        cache.set(First.Item(id: 1))
        cache.removeAll(Second.Item.self)
        #expect(cache[First.Item.self, 1] != nil)
        #expect(cache[First.Nested.Item.self, 1] != nil)
        #expect(received.all == ["first"])
        observation.dispose()
    }

    @Test func typeInsideAFunctionIsATypeOfItsOwn() {
        func localKey() -> CacheKey {
            struct Book: Identifiable, Sendable { let id: Int }
            return CacheKey(Book.self, id: 1)
        }
        #expect(localKey() != CacheKey(Book.self, id: 1))
        #expect(localKey().description == CacheKey(Book.self, id: 1).description)
        #expect(localKey() == localKey())
    }

    @Test func numberOneIsNotTheTextOne() {
        #expect(CacheKey(ByNumber.self, id: 1) != CacheKey(ByString.self, id: "1"))
        let number = CacheKey(ByEither.self, id: .number(1))
        let text = CacheKey(ByEither.self, id: .text("1"))
        #expect(number != text)

        let cache = Cache()
        cache.set(ByEither(id: .number(1)))
        #expect(cache[ByEither.self, .text("1")] == nil)
        #expect(cache.contains(ByEither.self, id: .number(1)))
    }

    @Test func describesTypeAndIdentifier() {
        #expect(CacheKey(Book.self, id: 1).description == "Book(1)")
        #expect(CacheKey(Author.self, id: "le-guin").description == "Author(\"le-guin\")")
        #expect(CacheKey(First.Item.self, id: 1).description == "Item(1)")
        #expect("\(CacheKey(ByNumber.self, id: -3))" == "ByNumber(-3)")
    }

    @Test func debugDescriptionDistinguishesTypesOfOneName() {
        let first = CacheKey(First.Item.self, id: 1).debugDescription
        let second = CacheKey(Second.Item.self, id: 1).debugDescription
        #expect(first.hasSuffix("CacheKeyTests.First.Item(1)"))
        #expect(second.hasSuffix("CacheKeyTests.Second.Item(1)"))
    }

    @Test func givesItsIdentifierAsTheTypeThatItIsOf() {
        #expect(CacheKey(Book.self, id: 7).id(as: Book.self) == 7)
        #expect(CacheKey(Author.self, id: "a").id(as: Author.self) == "a")
        #expect(CacheKey(Book.self, id: 7).id(as: Note.self) == nil)
    }
}
