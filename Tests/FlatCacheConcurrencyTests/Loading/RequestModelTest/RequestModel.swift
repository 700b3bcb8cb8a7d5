import FlatCache

@testable import FlatCacheTestSupport

/// A naive reference of observed requests, their calls and the writes of their responses.
///
/// Times of the clock are in seconds. A running call lists the other writes since it began.
struct RequestModel {
    /// The time from the end of a call until its response is stale.
    enum Lifetime: CaseIterable { case none, short, never, own }

    struct Handle {
        let name: String
        let lifetime: Lifetime
    }

    /// A part of the state that a response, an answer or `apply` can write.
    enum Key: Hashable {
        case response(String)
        case book(Int)
        case list, target
    }

    struct Stored {
        var page: RequestModelPage
        /// The books that the response contains or that its function has collected.
        let related: Set<Int>
        let arrival: Int
        var staleFrom: Int?
        var wasStoredStale: Bool
        /// The step in which the response was stored or invalidated.
        var step: Int

        var end: Int { staleFrom.map { $0 + 300 } ?? .max }
    }

    enum Phase: Equatable {
        case idle
        case loading(call: Int)
        /// The request waits until an instant. The run learns it from the cache.
        case failed(call: Int, until: CacheInstant?)
        /// The request has failed, and waits for the end of a pause of all loads.
        case failedAndPutOff
        /// There were too many loads. The pause takes more than one second and less than two.
        case limited(until: Int)
    }

    /// The loading that all observations of a name share.
    struct Progress {
        var phase = Phase.idle
        var failures = 0
        /// The number of loads that may begin at once; each second adds one.
        var tokens = 11
        var wasInvalidated = false
        var isRepetition = false
        var loadStep = 0
        var becameStale = false
        /// `true` if the load waits for the end of a pause of all loads.
        var isPutOff = false

        var isPausing: Bool {
            switch phase {
            case .failed, .failedAndPutOff, .limited: true
            case .idle, .loading: false
            }
        }
    }

    struct Call {
        let name: String
        /// The handle whose function is called.
        let handle: Int
        /// The numbers of the loads that wait for the call.
        var loads: Set<Int> = []
        /// The position of the call at the server.
        var number: Int?
        /// The order in which the calls have begun.
        var lease: UInt64?
        var isJoinable = true
        var isOver = false
        var isCancelled = false
        /// The keys that other code has written since the call began.
        var outdated: Set<Key> = []
    }

    struct Observer {
        enum Kind: CaseIterable { case values, changes, note, title }

        let number: Int
        let handle: Int
        let name: String
        let kind: Kind
        var events: [String] = []
    }

    let handles: [Handle]
    let names: [String]
    var stored: [String: Stored] = [:]
    var books: [Int: Int] = [:]
    var list: [Int] = []
    var target: Int?
    var progress: [String: Progress] = [:]
    /// The numbers of the observations of the progress of a name.
    var progressObservers: [String: Int] = [:]
    var observers: [Observer] = []
    var calls: [Call] = []
    var outcomes: [Int: RequestModelOutcome] = [:]
    /// The number of pauses of all loads.
    private(set) var pauses = 0
    private(set) var now = 0
    private(set) var step = 0
    let counts = EventCounts()

    init(_ handles: [Handle]) {
        self.handles = handles
        names = Set(handles.map(\.name)).sorted()
    }

    mutating func beginStep() { step += 1 }

    // MARK: State

    func isStale(_ name: String) -> Bool {
        stored[name]?.staleFrom.map { $0 <= now } ?? false
    }

    func needsLoad(_ name: String) -> Bool { stored[name] == nil || isStale(name) }

    func isObserved(_ name: String) -> Bool { observers.contains { $0.name == name } }

    /// The calls that are needed and haven't ended.
    var running: [Int] { calls.indices.filter { !calls[$0].isOver } }

    func progress(of name: String) -> Progress { progress[name] ?? Progress() }

    func stateName(of name: String) -> String {
        if running.contains(where: { calls[$0].name == name }) { return "loading" }
        return switch progress(of: name).phase {
        case .idle, .limited: "idle"
        case .loading: "loading"
        case .failed, .failedAndPutOff: "failed"
        }
    }

    /// The names that ``Cache/requests`` lists.
    var listedNames: Set<String> {
        Set(stored.keys).union(observers.map(\.name)).union(progressObservers.keys)
            .union(running.map { calls[$0].name })
    }

    func waiterCount(of name: String) -> Int {
        guard let call = calls.lastIndex(where: { $0.name == name && $0.isJoinable }) else {
            return 0
        }
        return calls[call].loads.count + (isWaiting(name, for: call) ? 1 : 0)
    }

    func isWaiting(_ name: String, for call: Int) -> Bool {
        progress(of: name).phase == .loading(call: call)
    }

    mutating func change(_ name: String, _ body: (inout Progress) -> Void) {
        body(&progress[name, default: Progress()])
    }

    // MARK: Loads of observations

    mutating func load(_ name: String, repeating: Bool = false, isForced: Bool = false) {
        if pauses > 0 {
            counts.add("put off")
            return change(name) {
                $0.isPutOff = true
                // An error is shown until the next attempt.
                switch $0.phase {
                case .failed, .failedAndPutOff: $0.phase = .failedAndPutOff
                case .idle, .loading, .limited: $0.phase = .idle
                }
            }
        }
        if progress(of: name).tokens == 0, !isForced {
            counts.add("limited")
            let end = now + 2
            return change(name) { $0.phase = .limited(until: end) }
        }
        let handle = observers.last { $0.name == name }?.handle ?? 0
        let call = joinedCall(name, handle)
        let step = step
        change(name) {
            $0.tokens = max(0, $0.tokens - 1)
            $0.wasInvalidated = false
            $0.isRepetition = repeating
            $0.loadStep = step
            $0.becameStale = false
            $0.phase = .loading(call: call)
        }
    }

    /// Returns the call that a new caller of a name waits for: a running or a new one.
    private mutating func joinedCall(_ name: String, _ handle: Int) -> Int {
        if let call = calls.lastIndex(where: { $0.name == name && $0.isJoinable }) {
            counts.add("joined")
            return call
        }
        calls.append(Call(name: name, handle: handle))
        return calls.count - 1
    }

    mutating func stop(_ name: String) {
        guard progress[name] != nil else { return }
        change(name) {
            $0.phase = .idle
            $0.failures = 0
            $0.wasInvalidated = false
            $0.isPutOff = false
        }
        endUnneededCalls()
    }

    private mutating func endUnneededCalls() {
        for call in running where calls[call].loads.isEmpty {
            if isWaiting(calls[call].name, for: call) { continue }
            close(call)
            calls[call].isCancelled = true
            counts.add("abandoned")
        }
    }

    mutating func close(_ call: Int) {
        calls[call].isOver = true
        calls[call].isJoinable = false
    }

    // MARK: Observations

    mutating func observe(_ observer: Observer, initial: Bool) {
        observers.append(observer)
        let name = observer.name
        if initial {
            switch observer.kind {
            case .values:
                if let page = stored[name]?.page { receive("\(page)") }
            case .changes: break
            case .note, .title: receive(projection(observer))
            }
        }
        change(name) { _ in }
        if progress(of: name).phase == .idle, needsLoad(name) { load(name, isForced: true) }
    }

    private mutating func receive(_ event: String) {
        observers[observers.count - 1].events.append(event)
    }

    mutating func endObservation(_ number: Int) {
        guard let index = observers.firstIndex(where: { $0.number == number }) else { return }
        let name = observers.remove(at: index).name
        if !isObserved(name) { stop(name) }
        forgetProgressUnlessObserved(name)
    }

    mutating func observeProgress(_ name: String, by difference: Int) {
        let count = progressObservers[name, default: 0] + difference
        progressObservers[name] = count == 0 ? nil : count
        change(name) { _ in }
        forgetProgressUnlessObserved(name)
    }

    private mutating func forgetProgressUnlessObserved(_ name: String) {
        if !isObserved(name), progressObservers[name] == nil { progress[name] = nil }
    }

    // MARK: Loads that are asked for

    mutating func startLoad(_ number: Int, by handle: Int, isReload: Bool) {
        let name = handles[handle].name
        if !isReload, !needsLoad(name), let page = stored[name]?.page {
            outcomes[number] = .page(page)
            return
        }
        let call = joinedCall(name, handle)
        calls[call].loads.insert(number)
    }

    mutating func cancelLoad(_ number: Int) {
        guard let call = running.first(where: { calls[$0].loads.contains(number) }) else { return }
        calls[call].loads.remove(number)
        outcomes[number] = .cancelled
        endUnneededCalls()
    }

    // MARK: Time

    mutating func advance(by seconds: Int, to instant: CacheInstant) {
        let fresh = stored.keys.filter { !isStale($0) }
        now += seconds
        for name in progress.keys {
            change(name) { $0.tokens = min(11, $0.tokens + seconds) }
        }
        for name in fresh where isStale(name) && isObserved(name) {
            if progress(of: name).phase == .idle {
                load(name)
            } else {
                change(name) { $0.becameStale = true }
            }
        }
        for name in names where isObserved(name) {
            var isRepetition = false
            switch progress(of: name).phase {
            case .failed(_, let end?) where end <= instant: break
            case .limited(let end) where end <= now: isRepetition = true
            default: continue
            }
            if needsLoad(name) { load(name, repeating: isRepetition) } else { stop(name) }
        }
    }

    mutating func pauseLoads() { pauses += 1 }

    mutating func resumeLoads() {
        pauses -= 1
        if pauses > 0 { return }
        for name in names where progress(of: name).isPutOff {
            change(name) { $0.isPutOff = false }
            switch progress(of: name).phase {
            case .idle, .failedAndPutOff: break
            case .loading, .failed, .limited: continue
            }
            if isObserved(name), needsLoad(name) {
                load(name, isForced: true)
            } else {
                stop(name)
            }
        }
    }
}
