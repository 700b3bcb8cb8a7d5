import Synchronization

@testable import FlatCache

/// A cache that goes while threads use what it has handed out, and what comes of that.
final class DroppedCache: Sendable {
    /// An observation of the cache, made before or after it went.
    private struct Observation {
        let token: Disposable
        let events: Recorder<StressEvent>
        /// Whether its observer has been released.
        let isReleased: Signal
        /// When it had been made, on the logical clock.
        let begun: Int
    }

    static let ids = 8

    let problems = Recorder<String>()
    private let holder: Locked<Cache?>
    private let handles: [Cached<Parcel>]
    private let observations = Recorder<Observation>()
    private let clock = StressClock()
    /// When the cache goes, on the logical clock: in the middle of a call, a batch, an update or an
    /// observer, as it happens.
    private let end: Int
    private let calls = Atomic<Int>(0)
    /// How many values there are, in the cache or on their way.
    private let parcels = Atomic<Int>(0)
    /// How many more times observers may write, since they hear of what they have written.
    private let reactions = Atomic<Int>(200)

    init(goingAt end: Int) {
        let cache = Cache()
        holder = Locked(cache)
        handles = (0..<Self.ids).map { cache.cached(Parcel.self, id: $0) }
        self.end = end
    }

    private func parcel(_ id: Parcel.ID, stamp: Int, next: Parcel.ID) -> Parcel {
        parcels.add(1, ordering: .relaxed)
        let receipt = Receipt { [self] in parcels.subtract(1, ordering: .releasing) }
        return Parcel(id: id, stamp: stamp, next: next, receipt: receipt)
    }

    private func tick() -> Int {
        let time = clock.tick()
        if time == end { drop() }
        return time
    }

    private func drop() {
        // Released outside the lock.
        let cache = holder.withLock { $0.take() }
        withExtendedLifetime(cache) {}
    }

    /// Does one thing, whether or not the cache is still there.
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
                old: change.old?.spark,
                new: change.new?.spark,
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

    /// Checks what is left when all threads have ended.
    func check() {
        let wentByItself = clock.tick() > end
        drop()
        for observation in observations.all where observation.begun < end || !wentByItself {
            // Though its token is still there.
            if !observation.isReleased.wait() { problems.append("An observer was not released.") }
        }
        // What was committed before may be delivered by a thread of the queue's own.
        if !eventually({ handles.allSatisfy { $0.core.deliveryQueue.backlog == 0 } }) {
            problems.append("Not all calls were made.")
        }
        let callsBefore = calls.load(ordering: .sequentiallyConsistent)
        for handle in handles {
            handle.value = parcel(handle.id, stamp: 0, next: 0)
            let updated = handle.update { _ in problems.append("A value was there to update.") }
            if handle.value != nil || updated != nil { problems.append("A value was left.") }
            handle.observe(initial: true) { [problems] _ in
                problems.append("Something was heard of a cache that has gone.")
            }.dispose()
        }
        if calls.load(ordering: .sequentiallyConsistent) != callsBefore {
            problems.append("An observer was called after the cache had gone.")
        }
        if !eventually({ parcels.load(ordering: .acquiring) == 0 }) {
            problems.append("Values were left, though nobody can read them.")
        }
        for observation in observations.all {
            for problem in StressHistory(events: observation.events.all).problems {
                problems.append(problem)
            }
            observation.token.dispose()
            if !observation.isReleased.wait() { problems.append("An ended observer was kept.") }
        }
    }
}
