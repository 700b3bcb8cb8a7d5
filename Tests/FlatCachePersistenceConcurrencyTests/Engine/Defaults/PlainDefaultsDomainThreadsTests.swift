import Testing

@testable import FlatCache
@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

/// Several threads that use a domain as on Apple's systems.
struct PlainDefaultsDomainThreadsTests {
    @Test func plainSetDuringAReadIsReadNext() async {
        let system = FakeDefaultsSystem()
        let domains = PlainDefaultsDomains { _ in FakeDefaultsWatcher(system).watch }
        let defaults = FakeDefaults(system, "suite")
        let storage = AnnouncingStorage(
            UserDefaultsStorage(domains.domain(of: defaults, named: "suite"))
        )
        let level = Persister(key: "level", storedBy: storage, defaultValue: 0)
        let set = Locked(0)
        let behind = Recorder<String>()
        let last = RandomTestSettings.repetitions(500)
        let ended = await withThreads(3) { thread in
            if thread == 0 {
                for number in 1...last {
                    FakeDefaults(system, "suite").set(number, forKey: "level")
                    set.withLock { $0 = number }
                }
            } else {
                while true {
                    let latest = set.withLock { $0 }
                    let found = level.retrieveValue()
                    if found < latest { behind.append("\(found) after \(latest)") }
                    if latest == last { break }
                }
            }
        }
        #expect(ended)
        #expect(behind.all == [])
    }
}
