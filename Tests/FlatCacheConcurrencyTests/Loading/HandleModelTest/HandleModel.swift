@testable import FlatCache
@testable import FlatCacheTestSupport

/// A naive reference of loading handles to stations, with the calls of their loader.
///
/// A station is whole for a handle with a requirement if its revision is greater than zero.
/// Stations become stale ten seconds after they were stored.
struct HandleModel {
    enum Phase: Equatable {
        case idle
        case loading(call: Int)
        /// The handle waits until an instant, which the run learns from the cache.
        case failed(until: CacheInstant?)
        /// There were too many loads. The pause takes more than one second and less than two.
        case limited(until: Int)

        var name: String {
            switch self {
            case .idle, .limited: "idle"
            case .loading: "loading"
            case .failed: "failed"
            }
        }
    }

    struct Handle {
        let id: Int
        let hasRequirement: Bool
        let isNetworkOnly: Bool
        var observers = 0
        var phase = Phase.idle
        var failures = 0
        /// The number of loads that may begin at once; each second adds one.
        var tokens = 11
        /// A Boolean value that indicates whether the last answer was partial, so that the handle
        /// doesn't load other partial values.
        var toleratesPartial = false
        /// A Boolean value that indicates whether the station was invalidated during the load.
        var wasInvalidated = false
        /// A Boolean value that indicates whether the load repeats an outdated one.
        var isRepetition = false
        /// The step in which the load began.
        var loadStep = 0
        /// A Boolean value that indicates whether the stored station became stale during the load.
        var becameStale = false
        /// A Boolean value that indicates whether the handle has started its call, or `nil` if
        /// the order of the threads decides.
        var isOwner: Bool?

        var isPausing: Bool {
            switch phase {
            case .failed, .limited: true
            case .idle, .loading: false
            }
        }

        func accepts(_ revision: Int) -> Bool { !hasRequirement || revision > 0 }
    }

    struct Stored {
        var revision: Int
        var time: Int
        /// The step in which another station was stored than before.
        var step: Int
        var isInvalidated = false
    }

    struct Call {
        let id: Int
        /// The step in which it began.
        let step: Int
        /// The number of the call at the server.
        var number: Int?
        var isJoinable = true
        var isOver = false
        var isCancelled = false
        /// A Boolean value that indicates whether the station was written, removed or invalidated
        /// since the call began.
        var hasConflict = false
    }

    static var lifetime: Int { 10 }

    var handles: [Handle] = []
    private(set) var stored: [Int: Stored] = [:]
    var calls: [Call] = []
    private(set) var now = 0
    private(set) var step = 0
    /// The number of loads that were repeated because their answers were outdated.
    private(set) var repetitions = 0
    /// The number of pauses after too many loads.
    private(set) var limitedLoads = 0

    mutating func beginStep() { step += 1 }

    func isStale(_ id: Int) -> Bool {
        stored[id].map { $0.isInvalidated || $0.time + Self.lifetime <= now } ?? false
    }

    private func needsLoad(_ handle: Handle) -> Bool {
        guard let stored = stored[handle.id] else { return true }
        return isStale(handle.id) || !handle.accepts(stored.revision)
    }

    /// The handles that wait for a call.
    func waiters(of call: Int) -> [Int] {
        handles.indices.filter { handles[$0].phase == .loading(call: call) }
    }

    private func observed(_ id: Int) -> [Int] {
        handles.indices.filter { handles[$0].id == id && handles[$0].observers > 0 }
    }

    // MARK: Loads

    private mutating func load(_ handle: Int, repeating: Bool = false, isForced: Bool = false) {
        if handles[handle].tokens == 0, !isForced {
            handles[handle].phase = .limited(until: now + 2)
            limitedLoads += 1
            return
        }
        handles[handle].tokens = max(0, handles[handle].tokens - 1)
        handles[handle].wasInvalidated = false
        handles[handle].isRepetition = repeating
        handles[handle].loadStep = step
        handles[handle].becameStale = false
        join(handle)
    }

    /// Makes a handle wait for the call of its station, which may be a new one.
    private mutating func join(_ handle: Int) {
        let id = handles[handle].id
        if let call = calls.lastIndex(where: { $0.id == id && $0.isJoinable }) {
            handles[handle].phase = .loading(call: call)
            handles[handle].isOwner = false
            guard calls[call].step == step else { return }
            // Several threads have joined the call while it was starting.
            for waiter in waiters(of: call) { handles[waiter].isOwner = nil }
        } else {
            calls.append(Call(id: id, step: step))
            handles[handle].phase = .loading(call: calls.count - 1)
            handles[handle].isOwner = true
        }
    }

    private mutating func stop(_ handle: Int) {
        handles[handle].phase = .idle
        handles[handle].failures = 0
        handles[handle].toleratesPartial = false
        for call in calls.indices where !calls[call].isOver && waiters(of: call).isEmpty {
            end(call)
            calls[call].isCancelled = true
        }
    }

    private mutating func end(_ call: Int) {
        calls[call].isOver = true
        calls[call].isJoinable = false
    }

    // MARK: Observations and time

    mutating func observe(_ handle: Int) {
        handles[handle].observers += 1
        let isForced = handles[handle].observers == 1 && handles[handle].isNetworkOnly
        if handles[handle].phase == .idle, isForced || needsLoad(handles[handle]) {
            load(handle, isForced: true)
        }
    }

    mutating func endObservation(_ handle: Int) {
        handles[handle].observers -= 1
        if handles[handle].observers == 0 { stop(handle) }
    }

    mutating func advance(by seconds: Int, to instant: CacheInstant) {
        let fresh = stored.keys.filter { !isStale($0) }
        now += seconds
        for handle in handles.indices {
            handles[handle].tokens = min(11, handles[handle].tokens + seconds)
        }
        for id in fresh where isStale(id) {
            for handle in observed(id) {
                if handles[handle].phase == .idle {
                    load(handle)
                } else {
                    handles[handle].becameStale = true
                }
            }
        }
        for handle in handles.indices {
            var isRepetition = false
            switch handles[handle].phase {
            case .failed(let end?) where end <= instant: break
            case .limited(let end) where end <= now: isRepetition = true
            default: continue
            }
            if handles[handle].isNetworkOnly || needsLoad(handles[handle]) {
                load(handle, repeating: isRepetition)
            } else {
                stop(handle)
            }
        }
    }

    // MARK: Writes

    mutating func set(_ id: Int, _ revision: Int) {
        for call in calls.indices where calls[call].id == id { calls[call].hasConflict = true }
        store(id, revision)
    }

    private mutating func store(_ id: Int, _ revision: Int) {
        let isChange = stored[id]?.revision != revision || isStale(id)
        let formerStep = stored[id]?.step ?? step
        stored[id] = Stored(revision: revision, time: now, step: isChange ? step : formerStep)
        // An equal value renews a fresh one without a notification.
        guard isChange else { return }
        for handle in observed(id) {
            handles[handle].becameStale = false
            if handles[handle].accepts(revision) {
                handles[handle].toleratesPartial = false
                if handles[handle].isPausing { stop(handle) }
            } else if handles[handle].phase == .idle, !handles[handle].toleratesPartial {
                load(handle)
            }
        }
    }

    /// Makes the running calls of a station outdated for later loads.
    private mutating func withdraw(_ id: Int) {
        for call in calls.indices where calls[call].id == id {
            calls[call].hasConflict = true
            calls[call].isJoinable = false
        }
    }

    mutating func remove(_ id: Int) {
        withdraw(id)
        stored[id] = nil
        for handle in observed(id) { stop(handle) }
    }

    mutating func invalidate(_ id: Int) {
        withdraw(id)
        stored[id]?.isInvalidated = true
        for handle in observed(id) {
            // The answer of a call that has begun before is outdated.
            if case .loading = handles[handle].phase {
                handles[handle].wasInvalidated = true
                continue
            }
            if case .limited = handles[handle].phase { continue }
            stop(handle)
            load(handle)
        }
    }

    // MARK: Ends of calls

    mutating func answer(_ call: Int, _ revision: Int?) {
        end(call)
        let id = calls[call].id
        let waiters = waiters(of: call)
        let hasConflict = calls[call].hasConflict
        if let revision, !hasConflict {
            // The answer is newer than those of the calls that have begun before.
            for earlier in 0..<call where calls[earlier].id == id {
                calls[earlier].hasConflict = true
            }
            store(id, revision)
        }
        for handle in waiters { end(handle, revision, hasConflict: hasConflict) }
    }

    private mutating func end(_ index: Int, _ revision: Int?, hasConflict: Bool) {
        let handle = handles[index]
        // The partial answer to another caller isn't enough.
        if let revision, !handle.accepts(revision), handle.isOwner == false {
            let isRunning = calls.contains { $0.id == handle.id && $0.isJoinable }
            if isRunning || handle.isNetworkOnly || needsLoad(handle) { return join(index) }
            // The next call finds the station in the cache, and makes no request.
        }
        handles[index].phase = .idle
        handles[index].failures = 0
        let isPartial = stored[handle.id].map { !handle.accepts($0.revision) } ?? false
        handles[index].toleratesPartial = isPartial
        let isAnswerWhole = revision.map(handle.accepts) ?? false
        // A write outdates one answer only.
        let isOverwritten = hasConflict || (isPartial && isAnswerWhole)
        let isNew = stored[handle.id].map { $0.step > handle.loadStep } ?? false
        let isOutdated =
            handle.wasInvalidated || (!handle.isRepetition && isOverwritten)
            || (handle.becameStale && isNew)
        guard isOutdated, needsLoad(handle) else { return }
        repetitions += 1
        load(index, repeating: true)
    }

    mutating func fail(_ call: Int) {
        end(call)
        for handle in waiters(of: call) {
            guard handles[handle].isNetworkOnly || needsLoad(handles[handle]) else {
                stop(handle)
                continue
            }
            handles[handle].phase = .failed(until: nil)
            handles[handle].failures += 1
        }
    }
}
