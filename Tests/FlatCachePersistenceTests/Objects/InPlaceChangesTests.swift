import FlatCache
import Foundation
import Testing

@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

@Suite("Objects that change in place")
struct InPlaceChangesTests {
    private typealias People = PersistentObject<Archived<Person>>

    private func archived(_ repository: MemoryRepository) -> People {
        People(
            repository: repository.key,
            transformer: SecureCodingTransformer(),
            defaultValue: Archived(Person(age: 1)),
            onError: { Issue.record($0) }
        )
    }

    private func storedAge(_ repository: MemoryRepository) throws -> Int {
        let data = try #require(repository.data)
        return try SecureCodingTransformer<Person>().untransformValue(data).object.age
    }

    private func repository(age: Int) throws -> MemoryRepository {
        let repository = MemoryRepository()
        repository.data = try SecureCodingTransformer().transformValue(Archived(Person(age: age)))
        return repository
    }

    @Test func saveStoresAnArchivedObjectThatWasChangedInPlace() throws {
        let repository = try repository(age: 43)
        let people = archived(repository)
        people.object?.object.age = 44
        #expect(people.hasUnsavedChanges)
        try people.save()
        #expect(!people.hasUnsavedChanges)
        #expect(try storedAge(repository) == 44)
        #expect(repository.saveCount == 1)
    }

    @Test func automaticSaveStoresAnArchivedObjectThatWasChangedInPlace() throws {
        let repository = try repository(age: 43)
        let people = archived(repository)
        people.object?.object.age = 44
        people.saveAutomatically()
        #expect(try storedAge(repository) == 44)
    }

    @Test func deinitStoresAnArchivedObjectThatWasChangedInPlace() async throws {
        let repository = try repository(age: 43)
        var people: People? = archived(repository)
        people?.object?.object.age = 44
        // Otherwise, the optimizer may release `people` before the change.
        withExtendedLifetime(people) {}
        people = nil
        // An automatic save of another test may hold the object for a moment.
        #expect(await until { (try? storedAge(repository)) == 44 })
    }

    @Test func defaultThatIsChangedInPlaceAfterARemovalIsSaved() throws {
        let repository = try repository(age: 43)
        let people = archived(repository)
        people.object = nil
        people.object?.object.age = 44
        try people.save()
        #expect(try storedAge(repository) == 44)
    }

    @Test func objectThatAnotherWriterHasRemovedStaysRemoved() throws {
        let repository = MemoryRepository()
        let people = archived(repository)
        people.object?.object.age = 2
        try people.save()
        #expect(try storedAge(repository) == 2)
        repository.changeFromOutside(to: nil)
        _ = people.object
        try people.save()
        people.saveAutomatically()
        #expect(repository.data == nil)
    }

    @Test func unchangedArchivedObjectIsNeverWritten() throws {
        let repository = try repository(age: 43)
        var people: People? = archived(repository)
        #expect(people?.object?.object.age == 43)
        try people?.save()
        try people?.synchronize()
        people?.object?.object.age = 44
        people?.object?.object.age = 43
        #expect(people?.hasUnsavedChanges == false)
        people = nil
        #expect(repository.saveCount == 0)
    }

    @Test func defaultIsStoredOnceItHasBeenChangedInPlace() throws {
        let repository = MemoryRepository()
        let people = archived(repository)
        #expect(people.object?.object.age == 1)
        try people.save()
        #expect(repository.data == nil)
        people.object?.object.age = 2
        try people.save()
        #expect(try storedAge(repository) == 2)
        people.object = nil
        try people.save()
        #expect(repository.data == nil)
        try people.save()
        #expect(repository.data == nil)
    }

    @Test func deinitStoresAnObjectOfAClassThatWasChangedInPlace() async {
        let repository = MemoryRepository(#"{"number":1}"#)
        var object: PersistentObject<Tally>? = PersistentObject(repository: repository.key)
        object?.object?.number = 2
        withExtendedLifetime(object) {}
        object = nil
        #expect(await until { repository.text == #"{"number":2}"# })
    }

    @Test func objectOfAClassInAnotherEncodersFormIsNotWritten() throws {
        let repository = MemoryRepository(#"{ "number" : 1 }"#)
        var object: PersistentObject<Tally>? = PersistentObject(repository: repository.key)
        #expect(object?.object?.number == 1)
        try object?.save()
        object = nil
        #expect(repository.saveCount == 0)
        #expect(repository.text == #"{ "number" : 1 }"#)
    }

    @Test func instancesOfClassesInCollectionsAreSaved() throws {
        let repository = MemoryRepository(#"{"a":[{"number":1}]}"#)
        let object = PersistentObject<[String: [Tally]]>(repository: repository.key)
        object.object?["a"]?.first?.number = 2
        try object.save()
        #expect(repository.text == #"{"a":[{"number":2}]}"#)
    }

    @Test func instanceOfAClassInAStructureIsSavedAfterACall() throws {
        let repository = MemoryRepository(#"{"tally":{"number":1}}"#)
        let object = PersistentObject<Holder>(repository: repository.key)
        object.object?.tally.number = 2
        object.setNeedsSave()
        object.saveAutomatically()
        #expect(repository.text == #"{"tally":{"number":2}}"#)
    }

    @Test func changeInPlaceOutlastsAnExternalChangeUntilTheSave() throws {
        let repository = MemoryRepository(#"{"number":1}"#)
        let seen = Recorder<[Int?]>()
        let object = PersistentObject<Tally>(
            repository: repository.key,
            conflictRule: .merge { conflict in
                seen.append(
                    [conflict.base, conflict.unsaved, conflict.external].map { $0?.number }
                )
                return conflict.unsaved
            }
        )
        object.object?.number = 2
        repository.changeFromOutside(to: #"{"number":7}"#)
        #expect(object.object?.number == 2)
        #expect(object.hasUnsavedChanges)
        try object.save()
        #expect(seen.all == [[1, 2, 7]])
        #expect(repository.text == #"{"number":2}"#)
    }

    @Test func unchangedInstanceOfAClassLoadsAnExternalChange() {
        let repository = MemoryRepository(#"{"number":1}"#)
        let object = PersistentObject<Tally>(repository: repository.key)
        #expect(object.object?.number == 1)
        repository.changeFromOutside(to: #"{"number":7}"#)
        #expect(object.object?.number == 7)
        #expect(!object.hasUnsavedChanges)
    }

    @Test func valueIsEncodedOnlyWhenItIsStored() throws {
        let encodings = Recorder<Int>()
        let repository = MemoryRepository("1")
        let object = PersistentObject(
            repository: repository.key,
            transformer: CountingTransformer(encodings: encodings)
        )
        try object.save()
        object.saveAutomatically()
        #expect(encodings.count == 0)
        object.object = 2
        try object.save()
        #expect(repository.text == "2")
    }
}

/// An object that changes in place, on one thread.
private final class Tally: Codable, @unchecked Sendable {
    // Only the test's thread uses it.
    var number = 0
}

private struct Holder: Codable, Sendable {
    let tally: Tally
}

/// An archived object that changes in place.
final class Person: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    var age: Int

    init(age: Int) { self.age = age }

    init?(coder: NSCoder) { age = coder.decodeInteger(forKey: "age") }

    func encode(with coder: NSCoder) { coder.encode(age, forKey: "age") }
}

private struct CountingTransformer: Transformer {
    let encodings: Recorder<Int>

    func transformValue(_ value: Int) -> Data {
        encodings.append(value)
        return Data("\(value)".utf8)
    }

    func untransformValue(_ output: Data) -> Int {
        Int(String(decoding: output, as: UTF8.self)) ?? 0
    }
}
