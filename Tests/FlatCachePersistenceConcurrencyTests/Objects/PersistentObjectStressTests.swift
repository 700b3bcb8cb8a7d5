import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

struct PersistentObjectStressTests {
    private typealias Document = PersistentObject<Notes>

    /// Objects and a persister insert numbers on several threads.
    ///
    /// Each stored value contains all numbers of the values before it, and all objects agree in the
    /// end.
    @Test(arguments: [true, false]) func concurrentWritesLoseNoChange(isFile: Bool) async throws {
        let folder = try TemporaryFolder()
        let memory = InMemoryStorage<String, Data>()
        let file = folder.file("notes")
        let documents = (0..<2).map { _ in
            isFile
                ? Document(file: file, defaultValue: Notes())
                : Document(
                    repository: StorageRepository(key: "a", storedBy: memory),
                    defaultValue: Notes()
                )
        }
        let form = JSONTransformer<Notes>()
        let persister =
            isFile
            ? Persister(
                key: file,
                storedBy: FileStorage(),
                transformer: form,
                defaultValue: Notes()
            )
            : Persister(key: "a", storedBy: memory, transformer: form, defaultValue: Notes())
        let stored = Recorder<Notes>()
        let listening = persister.addUpdateListener { result in
            if let update = try? result.get() { stored.append(update.newValue) }
        }
        let seen = [Recorder<Notes>(), Recorder<Notes>()]
        let tokens = (0..<2).map { index in
            documents[index].observeChanges { result in
                if case .success(let update) = result, update.event == .saved {
                    seen[index].append(update.newValue ?? Notes())
                }
            }
        }
        let rounds = 60
        let ended = await withThreads(5) { thread in
            for round in 0..<rounds {
                let number = thread * 1000 + round
                if thread == 4 {
                    #expect(throws: Never.self) {
                        try persister.update { $0.numbers.insert(number) }
                    }
                } else {
                    let document = documents[thread % 2]
                    document.update { $0?.numbers.insert(number) }
                    if round % 3 == 0 {
                        #expect(throws: Never.self) { try document.save() }
                    }
                }
                #expect(documents[0].object?.numbers.isSubset(of: Self.all(rounds)) == true)
            }
        }
        #expect(ended)
        for document in documents { try document.save() }
        #expect(persister.retrieveValue().numbers == Self.all(rounds))
        for document in documents { #expect(document.object?.numbers == Self.all(rounds)) }
        for history in [stored.all] + seen.map(\.all) {
            #expect(!history.isEmpty)
            for (earlier, later) in zip(history, history.dropFirst()) {
                #expect(earlier.numbers.isSubset(of: later.numbers))
            }
        }
        for token in tokens + [listening] { token.dispose() }
    }

    private static func all(_ rounds: Int) -> Set<Int> {
        Set((0..<5).flatMap { thread in (0..<rounds).map { thread * 1000 + $0 } })
    }

    @Test func concurrentlyDeallocatedObjectsLoseNoChange() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("notes")
        let ended = await withThreads(3) { thread in
            for round in 0..<60 {
                let document = Document(file: file, defaultValue: Notes())
                document.update { $0?.numbers.insert(thread * 1000 + round) }
                if round % 7 == 0 { document.saveAutomatically() }
            }
        }
        #expect(ended)
        let expected = Set((0..<3).flatMap { thread in (0..<60).map { thread * 1000 + $0 } })
        // The thread that watches the file may hold the last objects for a moment.
        #expect(await until { Document(file: file).object?.numbers == expected })
    }

    @Test func concurrentExternalChangesLeaveAConsistentState() async throws {
        let repository = MemoryRepository("[]")
        let document = Document(repository: repository.key)
        let outside = Recorder<Int>()
        let ended = await withThreads(3) { thread in
            for round in 0..<100 {
                let number = thread * 1000 + round
                if thread == 2 {
                    repository.changeFromOutside(to: "[\(number)]")
                    outside.append(number)
                } else {
                    document.update { $0?.numbers.insert(number) }
                    #expect(throws: Never.self) { try document.save() }
                }
            }
        }
        #expect(ended)
        document.update { $0?.numbers.insert(-1) }
        try document.save()
        let stored = try JSONDecoder().decode(Notes.self, from: #require(repository.data))
        #expect(stored == document.object)
        #expect(stored.numbers.contains(-1))
        #expect(!document.hasUnsavedChanges)
    }
}
