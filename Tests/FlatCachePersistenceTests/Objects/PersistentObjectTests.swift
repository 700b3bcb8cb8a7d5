import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

struct PersistentObjectTests {
    private typealias Numbers = PersistentObject<[Int]>

    private func numbers(_ repository: MemoryRepository) -> Numbers {
        Numbers(repository: repository.key, onError: { Issue.record($0) })
    }

    @Test func creatingAnObjectLoadsIt() {
        #expect(numbers(MemoryRepository("[1,2]")).object == [1, 2])
        #expect(numbers(MemoryRepository()).object == nil)
    }

    @Test func settingAnObjectStoresNothingUntilItIsSaved() throws {
        let repository = MemoryRepository()
        let object = numbers(repository)
        object.object = [1]
        #expect(object.object == [1])
        #expect(object.hasUnsavedChanges)
        #expect(repository.saveCount == 0)
        try object.save()
        #expect(repository.text == "[1]")
        #expect(!object.hasUnsavedChanges)
    }

    @Test func savingNilRemovesTheStoredObject() throws {
        let repository = MemoryRepository("[1]")
        let object = numbers(repository)
        object.object = nil
        #expect(repository.text == "[1]")
        try object.save()
        #expect(repository.data == nil)
        #expect(repository.saveCount == 1)
    }

    @Test func objectWithoutUnsavedChangesIsNeverWritten() throws {
        // The transformer would write no space.
        let repository = MemoryRepository("[1, 2]")
        var object: Numbers? = numbers(repository)
        #expect(object?.object == [1, 2])
        try object?.save()
        try object?.synchronize()
        object?.saveAutomatically()
        object = nil
        #expect(repository.saveCount == 0)
        #expect(repository.text == "[1, 2]")
    }

    @Test func deallocatedObjectWithUnsavedChangesIsSaved() {
        let repository = MemoryRepository("[1]")
        var object: Numbers? = numbers(repository)
        object?.object = [2]
        object = nil
        #expect(repository.text == "[2]")
        #expect(repository.saveCount == 1)
    }

    @Test func updateChangesTheObjectInMemory() throws {
        let repository = MemoryRepository("[1]")
        let object = numbers(repository)
        let count = object.update { numbers in
            numbers?.append(2)
            return numbers?.count
        }
        #expect(count == 2)
        #expect(object.object == [1, 2])
        #expect(repository.saveCount == 0)
        try object.save()
        #expect(repository.text == "[1,2]")
    }

    @Test func updateThatThrowsChangesNothing() {
        let object = numbers(MemoryRepository("[1]"))
        #expect(throws: MemoryRepository.Refusal.self) {
            try object.update { numbers in
                numbers = [9]
                throw MemoryRepository.Refusal()
            }
        }
        #expect(object.object == [1])
        #expect(!object.hasUnsavedChanges)
    }

    @Test func failedSaveIsThrownAndCanBeRepeated() throws {
        let repository = MemoryRepository("[1]")
        let object = numbers(repository)
        object.object = [2]
        repository.failToSave(true)
        let error = try #require(throws: PersistenceError.self) { try object.save() }
        #expect(error.operation == .write)
        #expect(object.hasUnsavedChanges)
        #expect(object.object == [2])
        #expect(repository.text == "[1]")
        repository.failToSave(false)
        try object.save()
        #expect(repository.text == "[2]")
    }

    @Test func errorHandlerReceivesTheErrorOfAnAutomaticSave() {
        let repository = MemoryRepository("[1]")
        let errors = Recorder<PersistenceError.Operation>()
        var object: Numbers? = Numbers(repository: repository.key) { errors.append($0.operation) }
        object?.object = [2]
        repository.failToSave(true)
        object = nil
        #expect(errors.all == [.write])
        #expect(repository.text == "[1]")
    }

    @Test func synchronizingLoadsExternalChangesAndSavesUnsavedOnes() throws {
        let repository = MemoryRepository("[1]")
        let object = numbers(repository)
        repository.exchange(for: "[2]")
        #expect(object.object == [1])
        try object.synchronize()
        #expect(object.object == [2])
        object.object = [3]
        try object.synchronize()
        #expect(repository.text == "[3]")
    }

    @Test func instanceOfAClassIsSavedAfterAChangeInPlace() throws {
        let repository = MemoryRepository(#"{"number":1}"#)
        let object = PersistentObject<Counter>(repository: repository.key)
        object.object?.number = 2
        try object.save()
        #expect(repository.text == #"{"number":2}"#)
        object.object?.number = 3
        object.saveAutomatically()
        #expect(repository.text == #"{"number":3}"#)
    }

    @Test func savingAMissingInstanceOfAClassRemovesNothing() throws {
        let repository = MemoryRepository("garbage")
        let object = PersistentObject<Counter>(repository: repository.key, onError: { _ in })
        try object.save()
        #expect(repository.text == "garbage")
    }

    @Test func fileHoldsAnObjectAsJSON() throws {
        let folder = try TemporaryFolder()
        let object = Numbers(file: folder.file("a/b.json"))
        object.object = [1]
        try object.save()
        #expect(try String(contentsOf: folder.file("a/b.json"), encoding: .utf8) == "[1]")
        #expect(Numbers(file: folder.file("a/b.json")).object == [1])
    }

    @Test func customTransformerEncodesTheObject() throws {
        let repository = MemoryRepository()
        let object = PersistentObject<String>(
            repository: repository.key,
            transformer: UTF8Transformer()
        )
        object.object = "plain"
        try object.save()
        #expect(repository.text == "plain")
        #expect(
            PersistentObject(repository: repository.key, transformer: UTF8Transformer()).object
                == "plain"
        )
    }
}

/// An object that changes in place, on one thread.
private final class Counter: Codable, @unchecked Sendable {
    // Only the test's thread uses it.
    var number = 0
}

private struct UTF8Transformer: Transformer {
    func transformValue(_ value: String) -> Data { Data(value.utf8) }
    func untransformValue(_ output: Data) -> String { String(decoding: output, as: UTF8.self) }
}
