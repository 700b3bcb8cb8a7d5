import AppKit
import AppleFoundation
import FlatCache
import FlatCachePersistence
import FlatCacheTesting
import Synchronization

// Runs code for Apple's platforms whose stubs are implemented: the locks and the user's defaults.

struct Counter: Identifiable, Sendable {
    let id: Int
    var count = 0
}

let threads = 4
let rounds = 10_000
let cache = Cache()
let counter = cache.cached(Counter.self, id: 0)
let counts = Mutex<[Int]>([])
cache.set(Counter(id: 0))
let observation = counter.observe { value in
    counts.withLock { $0.append(value.count) }
}
DispatchQueue.concurrentPerform(iterations: threads) { thread in
    for round in 1...rounds {
        counter.update { $0.count += 1 }
        cache.set(Counter(id: thread + 1, count: round))
        precondition(cache.get(Counter.self, id: thread + 1)?.count == round, "A write is lost.")
    }
}
precondition(counter.value?.count == threads * rounds, "Updates are lost.")
counts.withLock { counts in
    precondition(counts == Array(1...threads * rounds), "The calls are not those of the commits.")
}
observation.dispose()

guard let defaults = UserDefaults(suiteName: "smoke") else {
    preconditionFailure("There is no such suite.")
}
let failures = StorageConformance.check(
    UserDefaultsStorage(defaults),
    key: "first",
    otherKey: "second.key",
    values: (.integer(1), .string("two"))
)
precondition(failures.isEmpty, "\(failures)")

let heard = DispatchSemaphore(value: 0)
let number = Persister(key: "number", storedBy: UserDefaultsStorage(defaults), defaultValue: 0)
let listening = number.addUpdateListener { update in
    if (try? update.get().newValue) == 7 { heard.signal() }
}
defaults.set(7, forKey: "number")
precondition(heard.wait(timeout: .now() + 60) == .success, "A plain call is not announced.")
precondition(number.retrieveValue() == 7, "A plain call is not read.")
listening.dispose()
let document = PersistentObject<Int>(
    repository: StorageRepository(key: "document", storedBy: InMemoryStorage<String, Data>())
)
document.object = 1
// The observers are added by a task on the main actor.
let deadline = Date(timeIntervalSinceNow: 60)
while document.hasUnsavedChanges, Date() < deadline {
    await Task.yield()
    NotificationCenter.default.post(
        name: NSApplication.didResignActiveNotification,
        object: nil
    )
}
precondition(!document.hasUnsavedChanges, "An app that resigns active doesn't save.")
print("The locks and the defaults behave")
