import FlatCachePersistence
import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistenceTestSupport

struct PersistentObjectConflictTests {
    private typealias Numbers = PersistentObject<[Int]>

    private func numbers(
        _ repository: MemoryRepository,
        _ rule: Numbers.ConflictRule = .automatic
    ) -> Numbers {
        Numbers(repository: repository.key, conflictRule: rule, onError: { Issue.record($0) })
    }

    @Test func latestWinsByDefault() throws {
        let repository = MemoryRepository("[1]")
        let object = numbers(repository)
        object.object = [2]
        repository.data = Data("[3]".utf8)
        try object.save()
        #expect(repository.text == "[2]")
        #expect(object.object == [2])
    }

    @Test func keepExternalLoadsTheStoredObject() throws {
        let repository = MemoryRepository("[1]")
        let object = numbers(repository, .keepExternal)
        let received = Recorder<Numbers.Update>()
        object.object = [2]
        repository.data = Data("[3]".utf8)
        let listening = object.observeChanges {
            if let update = try? $0.get() { received.append(update) }
        }
        try object.save()
        #expect(repository.text == "[3]")
        #expect(object.object == [3])
        #expect(!object.hasUnsavedChanges)
        #expect(received.all.contains { $0.event == .reverted && $0.newValue == [3] })
        #expect(repository.saveCount == 0)
        // The conflict is resolved.
        object.object = [4]
        try object.save()
        #expect(repository.text == "[4]")
        listening.dispose()
    }

    @Test func mergeClosureReceivesTheBaseAndBothObjects() throws {
        let repository = MemoryRepository("[1]")
        let conflicts = Recorder<[[Int]?]>()
        let object = numbers(
            repository,
            .merge { conflict in
                conflicts.append([conflict.base, conflict.unsaved, conflict.external])
                return (conflict.external ?? []) + (conflict.unsaved ?? [])
            }
        )
        object.object = [2]
        try object.save()
        #expect(conflicts.count == 0)
        object.object = [3]
        repository.data = Data("[4]".utf8)
        try object.save()
        #expect(conflicts.all == [[[2], [3], [4]]])
        #expect(repository.text == "[4,3]")
        #expect(object.object == [4, 3])
    }

    @Test func changeDuringAMergeIsMerged() throws {
        let repository = MemoryRepository("[]")
        let object = PersistentObject<Notes>(
            repository: repository.key,
            conflictRule: .merge { conflict in
                // As if another process writes during the merge.
                if repository.text == "[2]" { repository.data = Data("[2,3]".utf8) }
                return conflict.external.map { $0.merged(with: conflict.unsaved ?? Notes()) }
            }
        )
        object.object = Notes([1])
        repository.data = Data("[2]".utf8)
        try object.save()
        #expect(repository.text == "[1,2,3]")
    }

    @Test func mergeableObjectsMerge() throws {
        let repository = MemoryRepository("[1]")
        let object = PersistentObject<Notes>(repository: repository.key)
        object.update { $0?.numbers.insert(2) }
        repository.data = Data("[1,3]".utf8)
        try object.save()
        #expect(repository.text == "[1,2,3]")
        #expect(object.object == Notes([1, 2, 3]))
    }

    @Test func latestWinsDoesNotMergeMergeableObjects() throws {
        let repository = MemoryRepository("[1]")
        let object = PersistentObject<Notes>(repository: repository.key, conflictRule: .latestWins)
        object.object = Notes([2])
        repository.data = Data("[3]".utf8)
        try object.save()
        #expect(repository.text == "[2]")
    }

    @Test(arguments: [true, false])
    func unsavedStateWinsIfOneSideIsRemoved(isExternal: Bool) throws {
        let repository = MemoryRepository("[1]")
        let object = PersistentObject<Notes>(repository: repository.key)
        object.object = isExternal ? Notes([2]) : nil
        repository.data = isExternal ? nil : Data("[3]".utf8)
        try object.save()
        #expect(repository.text == (isExternal ? "[2]" : nil))
    }

    @Test func equalObjectsDoNotConflict() throws {
        let repository = MemoryRepository("[1]")
        let merges = Recorder<Int>()
        let object = numbers(
            repository,
            .merge { conflict in
                merges.append(1)
                return conflict.unsaved
            }
        )
        object.object = [2]
        repository.data = Data("[2]".utf8)
        try object.save()
        #expect(merges.count == 0)
        #expect(!object.hasUnsavedChanges)
        #expect(repository.saveCount == 0)
    }

    @Test func resetSkipsTheConflictRule() throws {
        let repository = MemoryRepository("[1]")
        let object = numbers(repository, .keepExternal)
        object.reset([2])
        repository.data = Data("[3]".utf8)
        try object.save()
        #expect(repository.text == "[2]")
        // The reset applies to one save only.
        object.object = [4]
        repository.data = Data("[5]".utf8)
        try object.save()
        #expect(object.object == [5])
    }

    @Test func automaticSaveAppliesTheConflictRule() {
        let repository = MemoryRepository("[1]")
        var object: Numbers? = numbers(repository, .keepExternal)
        object?.object = [2]
        repository.data = Data("[3]".utf8)
        object = nil
        #expect(repository.text == "[3]")
        #expect(repository.saveCount == 0)
    }

    @Test func mergeClosureMayUseTheSavedObject() throws {
        let repository = MemoryRepository("[1]")
        let box = Locked<Numbers?>(nil)
        let seen = Recorder<[Int]?>()
        let object = numbers(
            repository,
            .merge { conflict in
                let object = box.withLock { $0 }
                seen.append(object?.object)
                object?.update { $0 = [8] }
                object?.object = [9]
                #expect(throws: Never.self) { try object?.save() }
                return conflict.external
            }
        )
        box.withLock { $0 = object }
        object.object = [2]
        repository.data = Data("[3]".utf8)
        try object.save()
        #expect(seen.all == [[2]])
        #expect(object.object == [3])
        #expect(repository.text == "[3]")
        box.withLock { $0 = nil }
    }

    private typealias Tallies = PersistentObject<Tally>

    private func tallies(_ repository: MemoryRepository, _ rule: Tallies.ConflictRule) -> Tallies {
        Tallies(repository: repository.key, conflictRule: rule, onError: { Issue.record($0) })
    }

    @Test func editOfTheExternalInstanceIsStored() throws {
        let repository = MemoryRepository(#"{"count":1}"#)
        let object = tallies(
            repository,
            .merge { conflict in
                conflict.external?.count += conflict.unsaved?.count ?? 0
                return conflict.external
            }
        )
        object.object?.count = 10
        repository.data = Data(#"{"count":5}"#.utf8)
        try object.save()
        #expect(repository.text == #"{"count":15}"#)
        #expect(object.object?.count == 15)
    }

    /// Another encoder has written more fields than this one has.
    @Test(arguments: [false, true])
    func instanceThatEqualsTheStoredOneRemainsInMemory(isMerged: Bool) throws {
        let repository = MemoryRepository(#"{"count":1}"#)
        let object = tallies(repository, isMerged ? .merge(\.unsaved) : .latestWins)
        let instance = object.object
        instance?.count = 2
        let stored = #"{ "count": 2, "color": "red" }"#
        repository.data = Data(stored.utf8)
        try object.save()
        #expect(object.object === instance)
        #expect(repository.text == stored)
        #expect(!object.hasUnsavedChanges)
        instance?.count = 3
        try object.save()
        #expect(repository.text == #"{"count":3}"#)
    }

    @Test func externalObjectThatIsKeptIsNotWritten() throws {
        let repository = MemoryRepository("[1]")
        let numbers = numbers(repository, .merge(\.external))
        numbers.object = [2]
        repository.data = Data(" [3] ".utf8)
        try numbers.save()
        #expect(numbers.object == [3])
        #expect(repository.text == " [3] ")
        #expect(repository.saveCount == 0)
    }

    /// An encoder, such as one that encrypts, may write other bytes each time.
    @Test func keepExternalEncodesNothing() throws {
        let repository = MemoryRepository("[1]")
        let count = Locked(0)
        let object = Numbers(
            repository: repository.key,
            transformer: PaddingTransformer(count: count),
            conflictRule: .keepExternal,
            onError: { Issue.record($0) }
        )
        object.object = [2]
        repository.data = Data("[3]".utf8)
        try object.save()
        #expect(object.object == [3])
        #expect(repository.text == "[3]")
        #expect(repository.saveCount == 0)
    }
}

/// An instance that changes in place.
private final class Tally: Codable, @unchecked Sendable {
    // Only the test's thread uses it.
    var count: Int
}

/// A transformer whose bytes get longer each time.
private struct PaddingTransformer: Transformer {
    let count: Locked<Int>

    func transformValue(_ value: [Int]) throws -> Data {
        let spaces = count.withLock { count in
            count += 1
            return count
        }
        return Data(repeating: 32, count: spaces) + Data("\(value)".utf8)
    }

    func untransformValue(_ value: Data) throws -> [Int] {
        try JSONTransformer<[Int]>().untransformValue(value)
    }
}
