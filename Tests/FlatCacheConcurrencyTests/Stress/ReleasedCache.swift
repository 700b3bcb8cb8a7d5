import Testing
import Synchronization

@testable import FlatCache
@testable import FlatCacheTestSupport

/// A cache that is released while threads use its handles and observations, and checks of the state
/// that it leaves behind.
final class ReleasedCache: Sendable {
    /// An observation that began before or after the release of the cache.
    private struct Observation {
        let token: Disposable
        let events: Recorder<StressEvent>
        /// Fires when the observer has been released.
        let isReleased: Signal
        /// The time on the logical clock at which the observation began.
        let begun: Int
    }

    static let ids = 8

    let problems = Recorder<String>()
    private let holder: Locked<Cache?>
    private let handles: [Cached<Parcel>]
    private let observations = Recorder<Observation>()
    private let clock = StressClock()
    /// The time on the logical clock at which the cache is released, which can fall into a call, a
    /// batch, an update or an observer.
    private let end: Int
    private let calls = Atomic<Int>(0)
    /// The number of values that are stored in the cache or about to be.
    private let parcels = Locked(0)
    /// The number of further writes that observers may make.
    ///
    /// Without a limit, their writes would call them again and again.
    private let reactions = Atomic<Int>(200)

    init(releasedAt end: Int) {
        let cache = Cache(configuration: .smallSegments)
        holder = Locked(cache)
        handles = (0..<Self.ids).map { cache.cached(Parcel.self, id: $0) }
        self.end = end
    }

    private func parcel(_ id: Parcel.ID, stamp: Int, next: Parcel.ID) -> Parcel {
        parcels.withLock { $0 += 1 }
        let receipt = Receipt { [self] in parcels.withLock { $0 -= 1 } }
        return Parcel(id: id, stamp: stamp, next: next, receipt: receipt)
    }

    private func tick() -> Int {
        let time = clock.tick()
        if time == end { drop() }
        return time
    }

    private func drop() {
        // The cache is released outside the lock.
        let cache = holder.withLock { $0.take() }
        withExtendedLifetime(cache) {}
    }

    /// Performs one random operation, which must be safe before and after the release of the cache.
    func step(_ generator: inout SplitMix64) {
        let id = generator.below(Self.ids)
        let value = parcel(id, stamp: tick(), next: generator.below(Self.ids))
        switch generator.below(12) {
        case 0..<3: handles[id].value = value
        case 3: handles[id].value = nil
        case 4, 5:
            handles[id].update { found in
                found = value
                _ = tick()
            }
        case 6, 7:
            let cache = holder.withLock { $0 }
            cache?.performBatchUpdates { batch in
                batch.set(value)
                _ = tick()
                handles[(id + 1) % Self.ids].value = nil
            }
        case 8: observe(id, &generator)
        case 9: observations.all.randomElement(using: &generator)?.token.dispose()
        default:
            if let found = handles[id].value, found.id != id {
                problems.append("The handle to \(id) read \(found).")
            }
        }
    }

    private func observe(_ id: StressEntity.ID, _ generator: inout SplitMix64) {
        let events = Recorder<StressEvent>()
        let isReleased = Signal()
        let receipt = Receipt { isReleased.fire() }
        let handle = handles[id]
        let writes = generator.oneIn(3)
        let token = handle.observeChanges { [self] change in
            calls.add(1, ordering: .relaxed)
            let event = StressEvent(
                kind: change.kind.ofEntity,
                old: change.old?.entity,
                new: change.new?.entity,
                causes: StressEntityIDs(),
                version: change.version
            )
            events.append(event)
            let time = tick()
            if writes, reactions.subtract(1, ordering: .relaxed).newValue >= 0 {
                handle.value = parcel(id, stamp: time, next: id)
            }
            withExtendedLifetime(receipt) {}
        }
        observations.append(
            Observation(token: token, events: events, isReleased: isReleased, begun: tick())
        )
    }

    /// Checks the remaining state after all threads have ended.
    func check() {
        let wasReleased = clock.tick() > end
        drop()
        for observation in observations.all where observation.begun < end || !wasReleased {
            // The observer must be released even though the token still exists.
            if !observation.isReleased.wait() { problems.append("An observer was not released.") }
        }
        // A thread of the delivery queue may still deliver earlier commits.
        if !blockUntil({ handles.allSatisfy { $0.core.deliveryQueue.backlog == 0 } }) {
            problems.append("Not all calls were made.")
        }
        let callsBefore = calls.load(ordering: .sequentiallyConsistent)
        for handle in handles {
            handle.value = parcel(handle.id, stamp: 0, next: 0)
            let updated = handle.update { _ in
                problems.append("An update found a value after the release.")
            }
            if handle.value != nil || updated != nil {
                problems.append("A handle read a value after the release.")
            }
            handle.observe(initial: true) { [problems] _ in
                problems.append("An observation of a released cache called its observer.")
            }.dispose()
        }
        if calls.load(ordering: .sequentiallyConsistent) != callsBefore {
            problems.append("An observer was called after the release of the cache.")
        }
        if !blockUntil({ parcels.withLock { $0 } == 0 }) {
            problems.append("Values were retained after the release of the cache.")
        }
        for observation in observations.all {
            for problem in StressHistory(events: observation.events.all).problems {
                problems.append(problem)
            }
            observation.token.dispose()
            if !observation.isReleased.wait() { problems.append("An ended observer was retained.") }
        }
    }
}
