#if os(Linux)
import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

/// A file that another process has left empty, or holds locked.
struct FileDefaultsDomainWaitingTests {
    let suite: TemporarySuite
    let domain: FileDefaultsDomain
    private let clock = ManualClock()
    /// A domain that waits for no real time.
    private let impatient: FileDefaultsDomain

    init() throws {
        suite = try TemporarySuite()
        domain = suite.makeDomain(clock: clock)
        impatient = suite.makeDomain(clock: clock, timeout: .seconds(10))
    }

    @Test(arguments: [false, true])
    func fileWithoutBytesCountsAsEmptyAndACopyIsKept(isWrittenFirst: Bool) throws {
        try domain.setValue(.integer(1), forKey: "key")
        try suite.replaceFile(Data())
        let name = AtomicFile.name(of: suite.path)
        if isWrittenFirst {
            try domain.setValue(.integer(2), forKey: "other")
            #expect(try suite.file() == ["other": .integer(2)])
        }
        #expect(try domain.value(forKey: "key") == nil)
        try domain.setValue(.integer(3), forKey: "key")
        #expect(try suite.file()["key"] == .integer(3))
        let copies = suite.entries.filter { $0.hasPrefix("\(name).corrupt-") }
        #expect(copies.count == 1)
        #expect(suite.entries.count == 2)
    }

    /// A clock whose pauses last until a closure returns.
    private struct ActingClock: PersistenceClock {
        let act: @Sendable () -> Void

        var elapsed: Duration { .zero }

        func pause(for duration: Duration) { act() }

        func run(
            at time: Duration,
            on queue: DispatchQueue,
            _ body: @escaping @Sendable () -> Void
        ) {}
    }

    @Test func fileThatAnotherProcessIsWritingIsReadOnceItIsWhole() throws {
        try domain.setValue(.integer(1), forKey: "key")
        let whole = try #require(FileManager.default.contents(atPath: suite.path))
        try suite.replaceFile(whole.prefix(50))
        let url = URL(fileURLWithPath: suite.path)
        let clock = ActingClock { try? whole.write(to: url) }
        #expect(try suite.makeDomain(clock: clock).value(forKey: "key") == .integer(1))
        #expect(suite.entries == [AtomicFile.name(of: suite.path)])
    }

    @Test func waitingForAnotherProcessEndsInAnErrorThatNamesTheFile() throws {
        // All tests use the folder, so that only one domain that waits long is sure to get the
        // lock.
        try domain.setValue(.integer(1), forKey: "key")
        let lock = try FolderLock(folder: suite.folder, timeout: .seconds(300))
        #expect {
            try impatient.setValue(.integer(2), forKey: "key")
        } throws: { error in
            guard let error = error as? FileError else { return false }
            return error.path == suite.path && error.code == ETIMEDOUT
                && error.description.contains(suite.path)
        }
        #expect(try impatient.value(forKey: "key") == .integer(1))
        _ = consume lock
        try domain.setValue(.integer(2), forKey: "key")
        #expect(try suite.file() == ["key": .integer(2)])
    }

    @Test func propertyThatWaitedTooLongKeepsItsValueAndStoresItLater() async throws {
        try domain.setValue(.integer(1), forKey: "key")
        let shared = SharedDefaultsDomain(impatient, clock: clock, watch: impatient.watch)
        let errors = Recorder<PersistenceError>()
        let property = Persisted(
            wrappedValue: 0,
            key: "key",
            storedBy: UserDefaultsStorage(shared),
            onError: errors.append
        )
        let lock = try FolderLock(folder: suite.folder, timeout: .seconds(300))
        property.wrappedValue = 2
        #expect(errors.all.map(\.operation) == [.write])
        #expect(errors.all.first?.description.contains(suite.path) == true)
        #expect(property.wrappedValue == 2)
        #expect(try suite.file() == ["key": .integer(1)])
        _ = consume lock
        // Too early for another attempt.
        #expect(property.wrappedValue == 2)
        #expect(try suite.file() == ["key": .integer(1)])
        let isStored = await pollUntil("Other tests and processes lock the same folder.") {
            clock.advance(by: .seconds(100))
            return property.wrappedValue == 2 && suite.defaults.integer(forKey: "key") == 2
        }
        #expect(isStored)
        #expect(try suite.file() == ["key": .integer(2)])
        #expect(errors.count == 1)
    }
}
#endif
