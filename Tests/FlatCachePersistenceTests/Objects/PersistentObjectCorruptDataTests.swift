import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

struct PersistentObjectCorruptDataTests {
    private typealias Numbers = PersistentObject<[Int]>

    @Test func corruptDataIsReportedAndNotOverwrittenByAutomaticSaves() {
        let repository = MemoryRepository(#"{"other":"shape"}"#)
        let errors = Recorder<PersistenceError.Operation>()
        var object: Numbers? = Numbers(repository: repository.key) { errors.append($0.operation) }
        #expect(object?.object == nil)
        #expect(object?.object == nil)
        #expect(errors.all == [.untransform])
        object?.object = [1]
        object?.saveAutomatically()
        object?.update { $0?.append(2) }
        object = nil
        #expect(repository.text == #"{"other":"shape"}"#)
        #expect(repository.saveCount == 0)
        #expect(repository.kept.count == 0)
        #expect(Set(errors.all) == [.untransform])
    }

    @Test func saveKeepsACopyOfCorruptData() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("a.json")
        try Data("garbage".utf8).write(to: file)
        let object = Numbers(file: file, onError: { _ in })
        object.object = [1]
        try object.save()
        #expect(try String(contentsOf: file, encoding: .utf8) == "[1]")
        let copy = try #require(try folder.contents.first { $0.hasPrefix("a.json.corrupt-") })
        #expect(try String(contentsOf: folder.file(copy), encoding: .utf8) == "garbage")
    }

    @Test func automaticSaveAfterAResetReplacesCorruptDataAndKeepsACopy() {
        let repository = MemoryRepository("garbage")
        var object: Numbers? = Numbers(repository: repository.key, onError: { _ in })
        object?.reset([1])
        #expect(repository.text == "garbage")
        object = nil
        #expect(repository.text == "[1]")
        #expect(repository.kept.all == [Data("garbage".utf8)])
    }

    @Test func corruptDataIsNotOverwrittenWithoutACopy() throws {
        let repository = MemoryRepository("garbage")
        let object = Numbers(
            repository: StorageRepository(
                key: "a",
                storedBy: CarelessRepository(inner: repository)
            ),
            onError: { _ in }
        )
        object.reset([1])
        let error = try #require(throws: PersistenceError.self) { try object.save() }
        #expect(error.operation == .keepCorrupt)
        #expect(repository.text == "garbage")
        #expect(object.object == [1])
        try repository.removeValue(for: "a")
        try object.save()
        #expect(repository.text == "[1]")
    }

    @Test func dataThatBecomesCorruptIsReportedAndLeavesTheObjectUnchanged() {
        let repository = MemoryRepository("[1]")
        let errors = Recorder<PersistenceError.Operation>()
        let received = Recorder<Bool>()
        var object: Numbers? = Numbers(repository: repository.key) { errors.append($0.operation) }
        var listening = object?.observeChanges { received.append((try? $0.get()) == nil) }
        repository.changeFromOutside(to: "garbage")
        #expect(object?.object == [1])
        #expect(errors.all == [.untransform])
        #expect(received.all == [true])
        object?.object = [2]
        listening?.dispose()
        listening = nil
        object = nil
        #expect(repository.text == "garbage")
    }

    @Test func unnoticedCorruptDataIsNotOverwrittenByAutomaticSaves() {
        let repository = MemoryRepository("[1]")
        let errors = Recorder<PersistenceError.Operation>()
        let object = Numbers(repository: repository.key) { errors.append($0.operation) }
        object.object = [2]
        repository.data = Data("garbage".utf8)
        object.saveAutomatically()
        #expect(repository.text == "garbage")
        #expect(errors.all.contains(.untransform))
    }

    @Test func repairedDataIsLoaded() {
        let repository = MemoryRepository("garbage")
        let errors = Recorder<PersistenceError.Operation>()
        let object = Numbers(repository: repository.key) { errors.append($0.operation) }
        repository.changeFromOutside(to: "[3]")
        #expect(object.object == [3])
        repository.changeFromOutside(to: "garbage")
        #expect(errors.all == [.untransform, .untransform])
    }

    @Test func unreadableDataIsNeverOverwritten() throws {
        let repository = MemoryRepository("[1]")
        repository.failToLoad(true)
        let errors = Recorder<PersistenceError.Operation>()
        var object: Numbers? = Numbers(repository: repository.key) { errors.append($0.operation) }
        #expect(object?.object == nil)
        #expect(errors.all == [.read])
        object?.reset([2])
        let error = try #require(throws: PersistenceError.self) { try object?.save() }
        #expect(error.operation == .read)
        object = nil
        #expect(repository.text == "[1]")
        #expect(repository.saveCount == 0)
    }

    @Test func unreadableDataIsLoadedOnceItIsReadable() {
        let repository = MemoryRepository("[1]")
        repository.failToLoad(true)
        let object = Numbers(repository: repository.key, onError: { _ in })
        #expect(object.object == nil)
        repository.failToLoad(false)
        #expect(object.object == [1])
    }

    @Test func saveAfterAFailedReadAppliesTheConflictRule() throws {
        let repository = MemoryRepository("[1]")
        repository.failToLoad(true)
        let object = Numbers(
            repository: repository.key,
            conflictRule: .keepExternal,
            onError: { _ in }
        )
        object.object = [2]
        repository.failToLoad(false)
        try object.save()
        #expect(object.object == [1])
        #expect(repository.text == "[1]")
    }

    @Test func saveAfterAFailedReadStoresTheObjectIfNothingIsStored()
        throws
    {
        let repository = MemoryRepository()
        repository.failToLoad(true)
        let object = Numbers(
            repository: repository.key,
            conflictRule: .keepExternal,
            onError: { _ in }
        )
        object.object = [2]
        repository.failToLoad(false)
        try object.save()
        #expect(repository.text == "[2]")
    }

    @Test func folderInPlaceOfTheFileIsAnErrorAndIsKept() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("a.json")
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        let errors = Recorder<PersistenceError.Operation>()
        let object = Numbers(file: file) { errors.append($0.operation) }
        object.object = [1]
        #expect(throws: PersistenceError.self) { try object.save() }
        #expect(errors.all == [.read])
        #expect(try folder.contents == ["a.json"])
    }

    @Test func propertyListValueOtherThanDataIsCorruptAndKept() throws {
        let storage = FailingStorage(["a": .string("[1]")])
        let object = Numbers(
            repository: StorageRepository(key: "a", storedBy: storage),
            onError: { _ in }
        )
        #expect(object.object == nil)
        object.object = [2]
        object.saveAutomatically()
        #expect(storage.value("a") == .string("[1]"))
        try object.save()
        #expect(storage.value("a") == .data(Data("[2]".utf8)))
        #expect(storage.kept.all == [.string("[1]")])
    }

    /// Random bytes in the file don't crash the process, and automatic saves don't overwrite
    /// corrupt data.
    @Test(arguments: RandomTestSettings(seeds: 20).seeds)
    func randomBytesNeitherCrashNorAreOverwritten(seed: Seed) async throws {
        var random = SplitMix64(seed: seed)
        let folder = try TemporaryFolder()
        let valid = try JSONEncoder().encode([Order(title: "a", quantity: 1)])
        for round in 0..<20 {
            let file = folder.file("object\(round)")
            var bytes = Array(valid)
            switch random.below(3) {
            case 0: bytes = (0..<random.below(64)).map { _ in UInt8(random.below(256)) }
            case 1: bytes.removeLast(random.number(in: 1...bytes.count))
            default: bytes[random.below(bytes.count)] = UInt8(random.below(256))
            }
            try Data(bytes).write(to: file)
            let isUnderstood =
                (try? JSONDecoder().decode([Order].self, from: Data(bytes))) != nil
            let end = Signal()
            do {
                let tracked = TrackedObject(end)
                let object = PersistentObject<[Order]>(file: file) { _ in
                    withExtendedLifetime(tracked) {}
                }
                #expect((object.object != nil) == isUnderstood, "\(seed)")
                object.object = [Order(title: "new")]
            }
            // The thread that watches the file may hold the object for a moment.
            #expect(await until { end.isFired })
            let isOverwritten = try Data(contentsOf: file) != Data(bytes)
            #expect(isOverwritten == isUnderstood, "\(seed)")
        }
    }
}
