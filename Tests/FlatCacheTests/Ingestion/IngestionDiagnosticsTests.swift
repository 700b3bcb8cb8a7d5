import FlatCache
import TestSupport
import Testing

@testable import FlatCacheTestSupport

/// The reports of entities that a response contains and that an ingest doesn't store.
struct IngestionDiagnosticsTests {
    private typealias City = Library.City
    private typealias Person = Library.Person

    /// An entity that isn't `Decodable`.
    private struct Note: CacheEntity {
        let id: Int
        var text: String
    }

    private struct Page: Decodable, Sendable {
        var items: [Person]
        var next: String?
    }

    private let diagnostics = Recorder<CacheDiagnostic>()
    private let cache: Cache
    private let page = #"{"items": [{"id": 1, "home": {"id": "gont", "name": "Gont"}}]}"#

    init() {
        var configuration = CacheConfiguration()
        configuration.onDiagnostic = { [diagnostics] in diagnostics.append($0) }
        cache = Cache(configuration: configuration)
    }

    // MARK: References to types that can't be decoded

    @Test("An object is reported if its type isn't Decodable, once for the type")
    func undecodableEntities() throws {
        struct Memo: CacheEntity { let id: Int }
        struct Response: Decodable {
            var notes: [Related<Note>]
            var memo: Related<Memo>?
        }
        for _ in 0..<2 {
            let response = try cache.ingest {
                try decoded(
                    Response.self,
                    #"{"notes": [{"id": 1, "text": "A"}, {"id": 2, "text": "B"}], "#
                        + #""memo": {"id": 3, "text": "C"}}"#
                )
            }
            #expect(response.notes == [Related(1), Related(2)])
            #expect(response.memo == Related(3))
        }
        #expect(
            diagnostics.all.map(\.key) == [CacheKey(Note.self, id: 1), CacheKey(Memo.self, id: 3)]
        )
        #expect(diagnostics.all.first?.message.contains("make Note Decodable") == true)
    }

    @Test(
        "A bare identifier isn't reported",
        arguments: ["[1, 2]", #"[{"id": 1}, {"id": 2}]"#, #"[1, {"id": 2}, 3, {"id": 4}]"#]
    )
    func identifiersOfUndecodableEntities(text: String) throws {
        try cache.ingest { try decoded([Related<Note>].self, text) }
        #expect(diagnostics.count == 0)
    }

    @Test(
        "An object that a polymorphic relation refers to is reported unless it's an identifier",
        arguments: [(#"{"type": "note", "id": 1}"#, 0), (#"{"type": "note", "id": 1, "a": 1}"#, 1)]
    )
    func polymorphicRelations(text: String, count: Int) throws {
        try cache.ingest { try decoded(Reference.self, text) }
        #expect(diagnostics.count == count)
    }

    private enum Reference: PolymorphicRelation {
        case note(Related<Note>)

        static let cases = [
            RelationCase("note", Reference.note) {
                if case .note(let note) = $0 { note } else { nil }
            }
        ]
    }

    @Test func nothingIsReportedOutsideAnIngest() throws {
        _ = try decoded([Related<Note>].self, #"[{"id": 1, "text": "A"}]"#)
        #expect(diagnostics.count == 0)
    }

    // MARK: Plain properties of responses

    @Test("An entity in a plain property is reported, once for the type of the response")
    func plainProperties() throws {
        for _ in 0..<2 { try cache.ingest { try decoded(Page.self, page) } }
        #expect(diagnostics.all.map(\.key) == [CacheKey(Person.self, id: 1)])
        #expect(diagnostics.all.first?.message.contains("Page.items") == true)
        #expect(diagnostics.all.first?.message.contains("Related<Person>") == true)
        #expect(cache.count(of: Person.self) == 0)
        #expect(cache.count(of: City.self) == 1)
    }

    @Test func plainEntitiesAreFoundInCollectionsAndTuples() throws {
        struct One: Sendable { var value: Person }
        struct Maybe: Sendable { var value: [Person?]? }
        struct Named: Sendable { var value: [String: Person] }
        struct Valid: Sendable { var value: ValidElements<Person> }
        let ged = Person(id: 1, name: "Ged")
        cache.ingest { One(value: ged) }
        cache.ingest { Maybe(value: [ged]) }
        cache.ingest { Named(value: ["ged": ged]) }
        cache.ingest { Valid(value: ValidElements([ged])) }
        cache.ingest { (count: 1, people: [ged]) }
        #expect(diagnostics.all.map(\.key) == Array(repeating: CacheKey(ged), count: 5))
    }

    @Test func responseWithoutEntitiesIsExaminedAgain() throws {
        try cache.ingest { try decoded(Page.self, #"{"items": []}"#) }
        #expect(diagnostics.count == 0)
        try cache.ingest { try decoded(Page.self, page) }
        #expect(diagnostics.count == 1)
    }

    @Test func responseThatTheAppStoresItselfIsNotReported() throws {
        try cache.ingest {
            try decoded(Page.self, page)
        } apply: { batch, page in
            batch.list("people", of: Person.self).replace(with: page.items)
        }
        try cache.ingest {
            let ingestion = Ingestion.current
            let response = try decoded(Page.self, page)
            ingestion?.collect(contentsOf: response.items)
            return response
        }
        try cache.performBatchUpdates { batch in
            let response = try cache.ingest { try decoded(Page.self, page) }
            batch.set(contentsOf: response.items)
        }
        try cache.ingest {
            let response = try cache.ingest { try decoded(Page.self, page) }
            return response.items
        }
        #expect(diagnostics.count == 0)
    }

    @Test("A response without entities, or with references alone, isn't reported")
    func otherResponses() throws {
        struct Response: Decodable {
            var items: [Related<Person>]
            var first: Related<Person>?
            var tags: [String]
        }
        try cache.ingest {
            try decoded(
                Response.self,
                #"{"items": [{"id": 1}, 2], "first": {"id": 2, "name": "Vetch"}, "tags": ["a"]}"#
            )
        }
        cache.ingest { "text" }
        cache.ingest {}
        #expect(diagnostics.count == 0)
    }

    @Test func responsesOfRequestsAreExamined() async throws {
        let text = page
        _ = try await cache.load("people") { try decoded(Page.self, text) }
        #expect(diagnostics.count == 1)
    }
}
