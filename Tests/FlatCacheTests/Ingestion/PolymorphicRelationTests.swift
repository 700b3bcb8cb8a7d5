import FlatCache
import FlatCacheTesting
import Foundation
import TestSupport
import Testing

@testable import FlatCacheTestSupport

private protocol HasName {
    var name: String { get }
}

private struct User: Identifiable, Codable, Equatable, HasName, Sendable {
    let id: Int
    var name: String
}

private struct Bot: Identifiable, Codable, Equatable, HasName, Sendable {
    let id: String
    var name: String
}

/// A relation whose unknown types are errors.
private enum ActorRef: PolymorphicRelation {
    case user(Related<User>), bot(Related<Bot>)

    static let cases = [
        RelationCase("User", ActorRef.user) { if case .user(let user) = $0 { user } else { nil } },
        RelationCase("Bot", ActorRef.bot) { if case .bot(let bot) = $0 { bot } else { nil } },
        RelationCase("Robot", ActorRef.bot) { if case .bot(let bot) = $0 { bot } else { nil } },
    ]
}

/// A relation that keeps unknown types, with a discriminator of its own.
private enum OwnerRef: PolymorphicRelation {
    case user(Related<User>), other(UnknownRelation)

    var unknown: UnknownRelation? { if case .other(let other) = self { other } else { nil } }

    static let discriminator = "kind"
    static let cases = [
        RelationCase("User", OwnerRef.user) { if case .user(let user) = $0 { user } else { nil } },
        RelationCase(unknown: OwnerRef.other) { $0.unknown },
    ]
}

private struct Event: CacheEntity, Codable, Hashable, HasCachedRelationships {
    let id: Int
    var actor: ActorRef
    @Known var owner: OwnerRef?
    var witnesses: [ActorRef]?

    var relatedCacheKeys: Set<CacheKey> {
        var keys = Set((witnesses ?? []).map(\.cacheKey))
        keys.insert(actor.cacheKey)
        if let owner { keys.insert(owner.cacheKey) }
        return keys
    }
}

struct PolymorphicRelationTests {
    private func decode<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(json.utf8))
    }

    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// Returns the coding path and the description of the error for a list of actors.
    private func problem(_ json: String) throws -> (path: [String], text: String) {
        let error = #expect(throws: DecodingError.self) { try decode([ActorRef].self, json) }
        switch try #require(error) {
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context), .dataCorrupted(let context):
            return (context.codingPath.map(\.stringValue), context.debugDescription)
        @unknown default: return ([], "")
        }
    }

    // MARK: - Known types

    @Test func decodesAndEncodesATypeAndAnIdentifier() throws {
        let user = #"{"id":7,"type":"User"}"#
        #expect(try decode(ActorRef.self, user) == .user(Related(7)))
        #expect(try json(ActorRef.user(Related(7))) == user)
        let bot = #"{"id":"hal","type":"Bot"}"#
        #expect(try decode(ActorRef.self, bot) == .bot(Related("hal")))
        #expect(try json(ActorRef.bot(Related("hal"))) == bot)
        let list = try PropertyListEncoder().encode([ActorRef.bot(Related("hal"))])
        #expect(
            try PropertyListDecoder().decode([ActorRef].self, from: list) == [.bot(Related("hal"))]
        )
    }

    @Test func typeCanHaveSeveralNames() throws {
        let bot = try decode(ActorRef.self, #"{"id":"hal","type":"Robot"}"#)
        #expect(bot == .bot(Related("hal")))
        #expect(try json(bot) == #"{"id":"hal","type":"Bot"}"#)
    }

    @Test func worksInOptionalsCollectionsAndKnownProperties() throws {
        let text = #"""
            {"actor":{"id":7,"type":"User"},"id":1,"owner":{"id":7,"kind":"User"},\#
            "witnesses":[{"id":"hal","type":"Bot"},{"id":8,"type":"User"}]}
            """#
        let event = try decode(Event.self, text)
        #expect(event.owner == .user(Related(7)))
        #expect(event.witnesses == [.bot(Related("hal")), .user(Related(8))])
        #expect(try json(event) == text)
        let partial = #"{"actor":{"id":7,"type":"User"},"id":1,"owner":null}"#
        #expect(try decode(Event.self, partial).$owner == .null)
        #expect(try json(decode(Event.self, partial)) == partial)
    }

    @Test func strategiesOfTheCodersApplyToTheKeys() throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let text = #"{"id":7,"type":"User"}"#
        #expect(try decoder.decode(ActorRef.self, from: Data(text.utf8)) == .user(Related(7)))
    }

    @Test func embeddedEntityIsDecodedToItsIdentifier() throws {
        let text = #"""
            [{"type":"User","id":7,"name":"Ada"},{"type":"Bot","id":"hal"},
            {"type":"Bot","id":"eve","name":"EVE"},{"type":"User","id":8}]
            """#
        let actors = try decode([ActorRef].self, text)
        #expect(
            actors
                == [
                    .user(Related(7)), .bot(Related("hal")), .bot(Related("eve")),
                    .user(Related(8)),
                ]
        )
        #expect(try json(actors[0]) == #"{"id":7,"type":"User"}"#)
    }

    @Test func ingestStoresEmbeddedEntities() throws {
        let cache = Cache()
        let text = #"""
            [{"id":1,"actor":{"type":"User","id":7,"name":"Ada"},
            "owner":{"kind":"User","id":9,"name":"Eve"},"witnesses":[{"type":"Bot","id":"hal"}]},
            {"id":2,"actor":{"type":"User","id":8,"name":"Bob"},"witnesses":[{"type":"Cat"}]},
            {"id":3,"actor":{"type":"Robot","id":"hal","name":"HAL"},"owner":{"kind":"Cat"}},
            {"id":4,"actor":{"type":"User","id":7,"name":"Ada King"}}]
            """#
        let events = try cache.ingest { try decode(ValidElements<Related<Event>>.self, text) }
        #expect(events.map(\.id) == [1, 3, 4])
        #expect(cache[Event.self, 3]?.owner?.unknown?.type == "Cat")
        #expect(cache[User.self, 7]?.name == "Ada King")
        #expect(cache[User.self, 9]?.name == "Eve")
        #expect(cache[User.self, 8] == nil, "An element that was dropped stores nothing.")
        #expect(cache[Bot.self, "hal"]?.name == "HAL")
    }

    @Test func errorInAnEmbeddedEntityNamesIt() throws {
        let problem = try problem(#"[{"type":"User","id":7,"name":1}]"#)
        #expect(problem.path == ["Index 0", "name"])
        #expect(problem.text.hasPrefix("Related<User>: "))
    }

    // MARK: - Bad data

    @Test func unknownTypeIsAnErrorThatNamesTheKnownOnes() throws {
        let problem = try problem(#"[{"type":"User","id":1},{"type":"Team","id":1}]"#)
        #expect(problem.path == ["Index 1", "type"])
        #expect(
            problem.text
                == #"ActorRef: unknown type "Team". The known types are "User", "Bot", "Robot"."#
        )
    }

    @Test(arguments: ["{\"id\":1}", "{\"type\":null,\"id\":1}", "{\"type\":3,\"id\":1}", "7"])
    func missingTypeIsAnErrorThatNamesTheKey(text: String) throws {
        let problem = try problem("[\(text)]")
        #expect(problem.path.first == "Index 0")
        #expect(problem.text.hasPrefix(#"ActorRef needs an object with the key "type"."#))
    }

    @Test func missingTypeIsAnErrorWithTheKeysThatThereAre() throws {
        let problem = try problem(#"[{"Type":"User","id":1}]"#)
        #expect(problem.text.contains(#"the key "type". The keys are "Type", "id". "#))
    }

    @Test func identifierOfAnotherTypeIsAnError() throws {
        for text in [#"[{"type":"User","id":"7"}]"#, #"[{"type":"User","id":"7","name":""}]"#] {
            let problem = try problem(text)
            #expect(problem.path == ["Index 0", "id"])
            #expect(problem.text.hasPrefix("Related<User>: "))
        }
        #expect(throws: DecodingError.self) { try decode(ActorRef.self, #"{"type":"User"}"#) }
    }

    @Test func unknownTypeCanHaveACase() throws {
        for (text, unknown) in [
            (#"{"id":7,"kind":"Team"}"#, UnknownRelation(type: "Team", id: 7)),
            (#"{"id":"7","kind":"Team"}"#, UnknownRelation(type: "Team", id: "7")),
            (#"{"kind":"Team"}"#, UnknownRelation(type: "Team", id: nil)),
        ] {
            let owner = try decode(OwnerRef.self, text)
            #expect(owner == .other(unknown))
            #expect(try json(owner) == text)
        }
        let embedded = try decode(OwnerRef.self, #"{"kind":"Team","id":7,"name":"Ops"}"#)
        #expect(embedded == .other(UnknownRelation(type: "Team", id: 7)))
        #expect(UnknownRelation(type: "Team", id: 7).id == "7")
        #expect(UnknownRelation(type: "Team", id: 7) != UnknownRelation(type: "Team", id: "7"))
        #expect(throws: DecodingError.self) { try decode(OwnerRef.self, #"{"id":7}"#) }
    }

    @Test(arguments: [
        "9223372036854775808", "-9223372036854775809", "1.5", "1e300", "{}", "[7]", "true",
    ])
    func identifierThatAnUnknownTypeCannotKeepIsAnError(identifier: String) throws {
        let error = #expect(throws: DecodingError.self) {
            try decode([OwnerRef].self, #"[{"id":\#(identifier),"kind":"Team"}]"#)
        }
        guard case .dataCorrupted(let context) = try #require(error) else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["Index 0", "id"])
        #expect(context.debugDescription.contains("\"Team\""))
    }

    @Test func unknownTypeMayHaveNoIdentifier() throws {
        let owner = try decode(OwnerRef.self, #"{"id":null,"kind":"Team"}"#)
        #expect(owner == .other(UnknownRelation(type: "Team", id: nil)))
    }

    // MARK: - Reading

    @Test func namesAndReadsItsEntity() {
        let cache = Cache()
        let user = ActorRef.user(Related(7))
        #expect(user.cacheKey == CacheKey(User.self, id: 7))
        #expect(ActorRef.bot(Related("hal")).cacheKey == CacheKey(Bot.self, id: "hal"))
        #expect(user.value(in: cache) == nil)
        cache.set(User(id: 7, name: "Ada"))
        cache.set(Bot(id: "hal", name: "HAL"))
        #expect(user.value(in: cache) as? User == User(id: 7, name: "Ada"))
        let names = [user, .bot(Related("hal"))].map { ($0.value(in: cache) as? any HasName)?.name }
        #expect(names == ["Ada", "HAL"])
        cache.performBatchUpdates { batch in
            batch.set(User(id: 7, name: "Grace"))
            #expect((user.value(in: batch) as? User)?.name == "Grace")
        }
        cache.withSnapshot { #expect((user.value(in: $0) as? User)?.name == "Grace") }
    }

    @Test func unknownRelationHasAKeyButNoValue() {
        let teams = [7, 8].map { OwnerRef.other(UnknownRelation(type: "Team", id: $0)) }
        #expect(teams[0].cacheKey != teams[1].cacheKey)
        #expect(teams[0].cacheKey == OwnerRef.other(UnknownRelation(type: "Team", id: 7)).cacheKey)
        let cache = Cache()
        #expect(teams[0].value(in: cache) == nil)
    }

    @Test func itsEntityIsReachable() async {
        let cache = Cache()
        cache.set(Event(id: 1, actor: .bot(Related("hal"))))
        let events = Recorder<Int>()
        let observation = cache.cached(Event.self, id: 1).observe { events.append($0.id) }
        cache.set(Bot(id: "hal", name: "HAL"))
        cache.set(User(id: 7, name: "Ada"))
        await cache.waitForObservers()
        observation.dispose()
        #expect(events.all == [1])
    }

    @Test func conformanceCheckSeesItsKeys() {
        struct Log: Identifiable, HasCachedRelationships, Sendable {
            let id: Int
            var actor: ActorRef
            var relatedCacheKeys: Set<CacheKey> { [] }
        }
        let failures = EntityConformance.check([
            Log(id: 1, actor: .user(Related(1))), Log(id: 1, actor: .bot(Related("hal"))),
        ])
        #expect(failures.map(\.requirement) == [.relatedCacheKeysListsRelationship])
    }
}
