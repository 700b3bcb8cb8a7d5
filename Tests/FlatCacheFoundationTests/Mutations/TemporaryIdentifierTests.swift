import FlatCache
import FlatCacheFoundation
import FlatCacheTesting
import TestSupport
import Testing

/// Tests of mutations that name an entity that an earlier mutation creates.
struct TemporaryIdentifierTests {
    private let fixture = MutationFixture()
    private var cache: Cache { fixture.cache }
    private var server: StubServer { fixture.server }

    @Test func laterMutationsNameTheNewIdentifier() async throws {
        let queue = fixture.queue()
        let created = try await queue.submit(AddNote(draft: "draft", text: "one"))
        let edited = try await queue.submit(SetText(note: "draft", text: "two"))
        #expect(fixture.text("draft") == "two")
        #expect(await fixture.untilWaiting(["add draft"]))

        let version = cache.version
        server.answer("add draft", with: .success("c"))
        _ = try await created.value
        #expect(fixture.text("draft") == nil)
        #expect(fixture.text("c") == "two")
        #expect(cache.confirmed[Note.self, "c"]?.text == "one")
        #expect(cache.version == version + 1)
        #expect(await fixture.untilWaiting(["c=two"]))
        server.answer("c=two", with: .success("TWO"))
        #expect(try await edited.value == Note(id: "c", text: "TWO!"))

        // Later mutations of the entity wait for those that named the temporary identifier.
        #expect(queue.pending.elements.isEmpty)
        try await queue.submit(SetText(note: "c", text: "three"))
        #expect(await fixture.untilWaiting(["c=three"]))
    }

    @Test func mutationThatIsSubmittedAfterTheResponseNamesTheNewIdentifier() async throws {
        let queue = fixture.queue()
        let created = try await queue.submit(AddNote(draft: "draft", text: "one"))
        #expect(await fixture.untilWaiting(["add draft"]))
        server.answer("add draft", with: .success("c"))
        _ = try await created.value
        // A form was opened while the note had the temporary identifier.
        try await queue.submit(SetText(note: "draft", text: "two"))
        #expect(fixture.text("c") == "two")
        #expect(await fixture.untilWaiting(["c=two"]))
    }

    @Test func temporaryIdentifierCanBeUsedAgain() async throws {
        let queue = fixture.queue()
        let created = try await queue.submit(AddNote(draft: "draft", text: "one"))
        #expect(await fixture.untilWaiting(["add draft"]))
        server.answer("add draft", with: .success("c"))
        _ = try await created.value
        try await queue.submit(AddNote(draft: "draft", text: "two"))
        try await queue.submit(SetText(note: "draft", text: "three"))
        #expect(fixture.text("draft") == "three")
        #expect(fixture.text("c") == "one")
    }

    @Test func mutationDependsOnTheCreatorAlone() async throws {
        let queue = fixture.queue()
        queue.pause()
        try await queue.submit(AddNote(draft: "draft", text: "one"))
        let second = try await queue.submit(AddNote(draft: "draft", text: "two"))
        try await queue.submit(SetText(note: "draft", text: "three"))
        queue.discard(second.id)
        #expect(fixture.rolledBack.count == 1)
        #expect(fixture.text("draft") == "three")
    }

    @Test func replacedMutationMovesToTheScopeOfTheNewIdentifier() async throws {
        let queue = fixture.queue()
        let created = try await queue.submit(AddNote(draft: "draft", text: "one"))
        try await queue.submit(SetText(note: "draft", text: "two"))
        #expect(await fixture.untilWaiting(["add draft"]))
        server.answer("add draft", with: .success("c"))
        _ = try await created.value
        #expect(await fixture.untilWaiting(["c=two"]))
        try await queue.submit(SetText(note: "c", text: "three"))
        try await queue.submit(SetText(note: "b", text: "b1"))
        #expect(await fixture.untilWaiting(["c=two", "b=b1"]))
    }

    @Test func replacedMutationWaitsForTheOneThatIsSentInItsNewScope() async throws {
        let queue = fixture.queue()
        cache.set(Note(id: "c", text: "c0"))
        let created = try await queue.submit(AddNote(draft: "draft", text: "one"))
        try await queue.submit(SetText(note: "draft", text: "two"))
        try await queue.submit(SetText(note: "c", text: "three"))
        #expect(await fixture.untilWaiting(["add draft", "c=three"]))
        queue.pause()
        try await queue.submit(SetText(note: "b", text: "b1"))
        // The server has the note already.
        server.answer("add draft", with: .success("c"))
        _ = try await created.value
        queue.resume()
        #expect(await fixture.untilSent(["add draft", "c=three", "b=b1"]))
        server.answer("c=three", with: .success("THREE"))
        #expect(await fixture.untilWaiting(["c=two", "b=b1"]))
    }

    @Test func mutationsAreRolledBackWithTheirCreator() async throws {
        let queue = fixture.queue()
        let created = try await queue.submit(AddNote(draft: "draft", text: "one"))
        let edited = try await queue.submit(SetText(note: "draft", text: "two"))
        let other = try await queue.submit(SetText(note: "a", text: "a1", queue: "Note draft"))
        #expect(await fixture.untilWaiting(["add draft"]))
        server.answer("add draft", with: .failure(Refusal()))
        await #expect(throws: Refusal.self) { try await created.value }
        await #expect(throws: Refusal.self) { try await edited.value }
        #expect(fixture.text("draft") == nil)
        #expect(fixture.rolledBack.count == 2)
        #expect(await fixture.untilWaiting(["a=a1"]))
        #expect(queue.pending.elements.map(\.id) == [other.id])
    }

    @Test func discardOfCreatorDiscardsTheMutationsOfItsEntity() async throws {
        let queue = fixture.queue()
        queue.pause()
        let created = try await queue.submit(AddNote(draft: "draft", text: "one"))
        try await queue.submit(SetText(note: "draft", text: "two"))
        queue.discard(created.id)
        #expect(queue.pending.elements.isEmpty)
        #expect(fixture.text("draft") == nil)
    }
}
