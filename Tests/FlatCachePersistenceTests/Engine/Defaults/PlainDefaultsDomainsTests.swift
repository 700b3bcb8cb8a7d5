import FlatCache
import Foundation
import TestSupport
import Testing

@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

/// Domains as on Apple's systems, through the documented calls alone.
struct PlainDefaultsDomainsTests {
    private let system = FakeDefaultsSystem()
    private let watcher: FakeDefaultsWatcher
    private let domains: PlainDefaultsDomains

    init() {
        let watcher = FakeDefaultsWatcher(system)
        self.watcher = watcher
        domains = PlainDefaultsDomains { _ in watcher.watch }
    }

    private func storage(_ name: String?, domain: String = "suite") -> UserDefaultsStorage {
        UserDefaultsStorage(domains.domain(of: FakeDefaults(system, domain), named: name))
    }

    @Test(arguments: ["level", "audio.level"])
    func plainSetIsReadWhenItReturnsAndListenersAreCalledLater(key: String) throws {
        let storage = AnnouncingStorage(storage("suite"))
        let level = Persister(key: key, storedBy: storage, defaultValue: 0)
        let received = Recorder<Int>()
        let listening = level.addUpdateListener { received.append((try? $0.get().newValue) ?? -1) }
        try level.persist(1)
        watcher.report()
        #expect(received.all == [1])
        for number in 2...4 {
            FakeDefaults(system, "suite").set(number, forKey: key)
            #expect(level.retrieveValue() == number)
            watcher.report()
        }
        FakeDefaults(system, "suite").set(7, forKey: key)
        try level.update { $0 += 1 }
        #expect(level.retrieveValue() == 8)
        FakeDefaults(system, "suite").set(9, forKey: key)
        watcher.report()
        #expect(received.all == [1, 2, 3, 4, 7, 8, 9])
        withExtendedLifetime(listening) {}
    }

    @Test func valueThatEqualsTheRegisteredDefaultIsStored() throws {
        system.registered.withLock { $0 = ["level": .integer(5)] }
        let level = Persister(
            key: "level",
            storedBy: AnnouncingStorage(storage("suite")),
            defaultValue: 0
        )
        #expect(level.retrieveValue() == 0)
        try level.persist(5)
        #expect(level.retrieveValue() == 5)
        #expect(try storage("suite").keys == ["level"])
        try level.removeValue()
        #expect(level.retrieveValue() == 0)
    }

    @Test func argumentsAndTheGlobalDomainAreNotStored() throws {
        system.arguments.withLock { $0 = ["argument": .string("x"), "both": .string("x")] }
        system.global.withLock { $0 = ["global": .string("x")] }
        let storage = storage("suite")
        for key in ["argument", "both", "global"] {
            #expect(try storage.retrieveValue(for: key) == nil)
        }
        #expect(try storage.keys == [])
        try storage.storeValue(.string("own"), key: "both")
        #expect(try storage.retrieveValue(for: "both") == .string("own"))
    }

    @Test func allObjectsOfOneSuiteShareADomain() throws {
        let unnamed = FakeDefaults(system, "suite")
        let first = domains.domain(of: unnamed, named: nil)
        let other = domains.domain(of: FakeDefaults(system, "other"), named: nil)
        #expect(first !== other)
        #expect(domains.domain(of: unnamed, named: nil) === first)
        #expect(domains.domain(of: FakeDefaults(system, "suite"), named: nil) === first)
        #expect(domains.domain(of: FakeDefaults(system, "suite"), named: "suite") === first)
        #expect(first.domain.name == "suite")
        #expect(domains.domain(of: FakeDefaults(system, "suite"), named: "suite") === first)
        #expect(domains.domain(of: FakeDefaults(system, "third"), named: "third") !== first)
        #expect(
            domains.domain(of: FakeDefaults(system, "third"), named: nil).domain.name == "third"
        )
        #expect(domains.domain(of: FakeDefaults(system, "other"), named: nil) === other)
        for name in ["suite", "other", "third"] { #expect(system.values(name).isEmpty) }
    }

    @Test func withoutANameAFallbackIsNotStored() throws {
        system.registered.withLock { $0 = ["level": .integer(5)] }
        system.arguments.withLock { $0 = ["argument": .integer(1)] }
        let storage = storage(nil)
        #expect(try storage.retrieveValue(for: "level") == nil)
        #expect(try storage.retrieveValue(for: "argument") == nil)
        try storage.storeValue(.integer(6), key: "level")
        #expect(try storage.retrieveValue(for: "level") == .integer(6))
        #expect(try storage.keys == [])
    }
}
