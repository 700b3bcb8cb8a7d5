import FlatCachePersistence
import Foundation
import Observation
import Testing

@testable import FlatCache
@testable import FlatCachePersistenceTestSupport

struct PersistentObjectListeningTests {
    private typealias Numbers = PersistentObject<[Int]>
    private typealias Event = Numbers.Update.Event

    /// Records the object after each external change.
    private func recordExternalChanges(_ object: Numbers) -> Recorder<[Int]?> {
        let received = Recorder<[Int]?>()
        object.onExternalChange = { received.append($0.object) }
        return received
    }

    private func record(_ object: Numbers) -> (Recorder<Numbers.Update>, Disposable) {
        let received = Recorder<Numbers.Update>()
        return (
            received,
            object.observeChanges { if let update = try? $0.get() { received.append(update) } }
        )
    }

    @Test func listenersReceiveEachChangeAndItsEvent() throws {
        let repository = MemoryRepository("[0]")
        let object = Numbers(repository: repository.key)
        let (received, listening) = record(object)
        object.object = [1]
        object.update { $0?.append(2) }
        try object.save()
        repository.changeFromOutside(to: "[3]")
        repository.callListeners()
        repository.changeFromOutside(to: nil)
        let events: [Event] = [.changed, .changed, .saved, .changedExternally, .changedExternally]
        #expect(received.all.map(\.event) == events)
        #expect(received.all.map(\.newValue) == [[1], [1, 2], [1, 2], [3], nil])
        listening.dispose()
        object.object = [9]
        #expect(received.count == 5)
    }

    @Test func closureIsCalledOnlyOfExternalChanges() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("a")
        let (object, other) = (Numbers(file: file), Numbers(file: file))
        let external = recordExternalChanges(object)
        object.object = [1]
        try object.save()
        #expect(external.count == 0)
        other.object = [2]
        #expect(external.count == 0)
        try other.save()
        // The thread that watches the file may make the call.
        #expect(await until { external.all == [[2]] })
    }

    @Test func closureIsCalledOnceOfAnExternalChange() {
        let repository = MemoryRepository("[1]")
        let object = Numbers(repository: repository.key)
        let external = recordExternalChanges(object)
        repository.changeFromOutside(to: "[2]")
        repository.callListeners()
        #expect(object.object == [2])
        #expect(external.all == [[2]])
    }

    @Test func closureIsCalledDespiteUnsavedChanges() {
        let repository = MemoryRepository("[1]")
        let object = Numbers(repository: repository.key)
        let (received, listening) = record(object)
        let external = recordExternalChanges(object)
        object.object = [2]
        repository.changeFromOutside(to: "[3]")
        #expect(external.all == [[2]])
        #expect(object.hasUnsavedChanges)
        #expect(received.all.map(\.event) == [.changed, .changedExternally])
        listening.dispose()
    }

    @Test func closureIsCalledOfAChangeThatASaveFinds() throws {
        let repository = MemoryRepository("[1]")
        let object = Numbers(repository: repository.key)
        let external = recordExternalChanges(object)
        object.object = [2]
        repository.data = Data("[3]".utf8)
        try object.save()
        #expect(external.count == 1)
        #expect(repository.text == "[2]")
    }

    @Test func closureMayUseTheObject() {
        let repository = MemoryRepository("[1]")
        let object = Numbers(repository: repository.key)
        let received = Recorder<[Int]?>()
        object.onExternalChange = { object in
            received.append(object.object)
            guard object.object == [2] else { return }
            object.update { $0?.append(3) }
            #expect(throws: Never.self) { try object.save() }
            #expect(throws: Never.self) { try object.synchronize() }
        }
        repository.changeFromOutside(to: "[2]")
        #expect(repository.text == "[2,3]")
        #expect(received.all == [[2]])
    }

    @Test func listenerMayUseTheObjectAndReceivesUpdatesInOrder() throws {
        let repository = MemoryRepository("[0]")
        let object = Numbers(repository: repository.key)
        let (received, listening) = record(object)
        let meddling = object.observeChanges { result in
            guard let update = try? result.get(), let number = update.newValue?.first else {
                return
            }
            if update.event == .changed, number < 3 {
                #expect(throws: Never.self) { try object.save() }
                object.object = [number + 1]
            }
        }
        object.object = [1]
        #expect(object.object == [3])
        let events: [Event] = [.changed, .saved, .changed, .saved, .changed]
        #expect(received.all.map(\.event) == events)
        #expect(received.all.map(\.newValue) == [[1], [1], [2], [2], [3]])
        meddling.dispose()
        listening.dispose()
    }

    @Test func updateMayUseTheObject() throws {
        let repository = MemoryRepository("[0]")
        let object = Numbers(repository: repository.key)
        object.update { numbers in
            #expect(object.object == [0])
            object.object = [5]
            #expect(throws: Never.self) { try object.save() }
            numbers = [6]
        }
        #expect(repository.text == "[5]")
        #expect(object.object == [6])
        try object.save()
        #expect(repository.text == "[6]")
    }

    @Test func defaultMayUseTheObject() {
        let box = Locked<Numbers?>(nil)
        let object = Numbers(
            repository: MemoryRepository().key,
            defaultValue: {
                box.withLock { $0 }?.object = [2]
                return [1]
            }()
        )
        box.withLock { $0 = object }
        #expect(object.object == [1])
        #expect(object.object == [2])
        box.withLock { $0 = nil }
    }

    @Test func errorsReachTheListeners() {
        let repository = MemoryRepository("[1]")
        let object = Numbers(repository: repository.key, onError: { _ in })
        let errors = Recorder<PersistenceError.Operation?>()
        let listening = object.observeChanges { result in
            if case .failure(let error) = result {
                errors.append((error as? PersistenceError)?.operation)
            }
        }
        repository.failToLoad(true)
        repository.callListeners()
        #expect(errors.all == [.read])
        #expect(object.object == [1])
        listening.dispose()
    }

    @Test func listenerKeepsTheObjectAliveUntilItIsDisposedOf() {
        let repository = MemoryRepository()
        var object: Numbers? = Numbers(repository: repository.key)
        weak let reference = object
        let listening = object?.observeChanges { _ in }
        object = nil
        #expect(reference != nil)
        listening?.dispose()
        #expect(reference == nil)
    }

    @Test func valuesYieldTheCurrentObjectAndEachChange() async {
        let repository = MemoryRepository("[1]")
        let object = Numbers(repository: repository.key)
        var values = object.values.makeAsyncIterator()
        #expect(await values.next() == .some([1]))
        object.object = [2]
        #expect(await values.next() == .some([2]))
        repository.changeFromOutside(to: "[3]")
        object.object = nil
        #expect(await values.next() == .some(nil))
    }

    @Test func updatesYieldTheChangesInOrder() async throws {
        let object = Numbers(repository: MemoryRepository("[1]").key)
        var updates = object.changes.makeAsyncIterator()
        object.object = [2]
        try object.save()
        #expect(try await updates.next()?.get().event == .changed)
        #expect(try await updates.next()?.get().event == .saved)
    }

    @Test func trackersAreNotified() {
        let repository = MemoryRepository("[1]")
        let observable = Observed(
            Numbers(repository: repository.key),
            delivery: .inline
        )
        for change in [
            { observable.object = [2] }, { observable.source.update { $0?.append(3) } },
            { repository.changeFromOutside(to: "[4]") },
        ] {
            let received = Recorder<Int>()
            withObservationTracking {
                _ = observable.object
            } onChange: {
                received.append(1)
            }
            change()
            #expect(received.count == 1)
        }
    }
}
