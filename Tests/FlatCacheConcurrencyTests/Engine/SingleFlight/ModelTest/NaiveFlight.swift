@testable import FlatCache
@testable import FlatCacheTestSupport

/// A naive model of a single flight: a list of all calls so far, and a list of all callers.
struct NaiveFlight {
    struct Answer: Hashable {
        let output: Int?
        let isOwn: Bool
    }

    enum Outcome: Hashable {
        case answers([Int: Answer])
        case failure(Int)
        case cancellation
    }

    struct Rule {
        let group: UInt64
        let maximum: Int
        let waitsForOthers: Bool
    }

    enum Phase { case waiting, running, claimed, ended, abandoned }

    struct Call {
        let number: UInt64
        let rule: Rule?
        /// The time at which the call ends to gather keys.
        let deadline: Int
        var phase = Phase.waiting
        var keys: [Int] = []
        /// The keys whose next callers join the call.
        var joinableKeys: Set<Int> = []
        var backgroundKeys: Set<Int> = []
        /// The keys for which callers wait, and whether the call is their own, by caller.
        var waits: [Int: (keys: Set<Int>, isOwn: Bool)] = [:]
        var isGathering = false
        /// A Boolean value that indicates whether later callers start a new call for some key.
        var isSeparated = false
        /// A Boolean value that indicates whether the operation was called and hasn't returned.
        var isInOperation = false

        var isPresent: Bool { phase != .ended && phase != .abandoned }
        var neededKeys: Set<Int> { waits.values.reduce(backgroundKeys) { $0.union($1.keys) } }
    }

    private(set) var calls: [Call] = []
    /// The outcomes of the callers, which are `nil` while they wait.
    private(set) var outcomes: [Outcome?] = []
    /// The answers that waiting callers have received so far.
    private var answers: [[Int: Answer]] = []
    private(set) var now = 0
    let counts = EventCounts()

    static let pause = 5

    // MARK: Observations

    /// The keys of the operations that haven't returned, by the numbers of their calls.
    var operations: [UInt64: [Int]] {
        calls.filter(\.isInOperation).reduce(into: [:]) { $0[$1.number] = $1.keys }
    }

    /// The number of calls that are needed and haven't ended.
    var callCount: Int { calls.count(where: \.isPresent) }

    /// The keys whose next callers join a call.
    var joinableKeys: Set<Int> { calls.reduce([]) { $0.union($1.joinableKeys) } }

    /// The numbers of the calls that were abandoned after their operation had begun.
    private(set) var abandonments: Set<UInt64> = []
    /// The numbers of the abandoned calls whose operations have asked for a notification since.
    private(set) var lateAbandonments: [UInt64] = []

    /// The number of calls that gather keys.
    var pauseCount: Int { calls.count { $0.phase == .waiting } }

    var waitingCallers: [Int] { outcomes.indices.filter { outcomes[$0] == nil } }

    func waiterCount(for key: Int) -> Int {
        guard let call = calls.first(where: { $0.joinableKeys.contains(key) }) else { return 0 }
        return call.waits.values.count { $0.keys.contains(key) }
    }

    // MARK: Callers

    mutating func join(_ keys: [Int], inBackground backgroundKeys: [Int], _ rule: Rule?) {
        let caller = outcomes.count
        outcomes.append(nil)
        answers.append([:])
        let firstNew = calls.count
        var latest: Int?
        for key in keys {
            let call = call(of: key, rule, &latest)
            let isOwn =
                call >= firstNew
                || rule.map { $0.group == calls[call].rule?.group } ?? false
                    && calls[call].phase == .waiting
            if call < firstNew { counts.add(isOwn ? "gathered" : "joined") }
            calls[call].waits[caller, default: ([], isOwn)].keys.insert(key)
        }
        if keys.isEmpty { outcomes[caller] = .answers([:]) }
        start(backgroundKeys, rule)
    }

    /// Adds a caller whose task was cancelled before, which starts nothing.
    mutating func joinAfterCancellation() {
        counts.add("late caller")
        outcomes.append(.cancellation)
        answers.append([:])
    }

    mutating func start(_ keys: [Int], _ rule: Rule?) {
        var latest: Int?
        for key in keys {
            let call = call(of: key, rule, &latest)
            calls[call].backgroundKeys.insert(key)
        }
        for call in calls.indices where calls[call].phase == .waiting {
            if !calls[call].isGathering || calls[call].isFull { isReady.insert(call) }
        }
        for call in isReady.sorted() { begin(call) }
        isReady = []
    }

    /// The calls to begin after the keys of a caller have been assigned.
    private var isReady: Set<Int> = []

    private mutating func call(of key: Int, _ rule: Rule?, _ latest: inout Int?) -> Int {
        if let known = calls.firstIndex(where: { $0.joinableKeys.contains(key) }) { return known }
        var open = latest
        if let rule, rule.waitsForOthers {
            open = calls.lastIndex {
                $0.phase == .waiting && $0.isGathering && !$0.isFull && $0.rule?.group == rule.group
                    && !$0.isSeparated
            }
        }
        if let found = open, calls[found].isFull { open = nil }
        let call = open ?? create(rule)
        latest = call
        calls[call].keys.append(key)
        calls[call].joinableKeys.insert(key)
        if calls[call].isFull { counts.add("full") }
        return call
    }

    private mutating func create(_ rule: Rule?) -> Int {
        var call = Call(
            number: UInt64(calls.count + 1),
            rule: rule,
            deadline: now + Self.pause
        )
        call.isGathering = rule?.waitsForOthers ?? false
        calls.append(call)
        return calls.count - 1
    }

    mutating func cancel(_ caller: Int) {
        guard outcomes[caller] == nil else { return }
        counts.add("cancellation")
        leave(caller, .cancellation)
    }

    private mutating func leave(_ caller: Int, _ outcome: Outcome) {
        outcomes[caller] = outcome
        for index in calls.indices where calls[index].waits.removeValue(forKey: caller) != nil {
            if calls[index].phase == .waiting { dropUnneededKeys(of: index) }
            let call = calls[index]
            guard call.isPresent, call.phase != .claimed, call.neededKeys.isEmpty else { continue }
            if call.isInOperation { abandonments.insert(call.number) }
            counts.add("abandoned")
            calls[index].phase = .abandoned
            calls[index].joinableKeys = []
        }
    }

    private mutating func dropUnneededKeys(of index: Int) {
        let needed = calls[index].neededKeys
        counts.add("unneeded key", calls[index].keys.count - needed.count)
        calls[index].keys.removeAll { !needed.contains($0) }
        calls[index].joinableKeys.formIntersection(needed)
    }

    // MARK: Calls

    mutating func advance(by time: Int) {
        now += time
        for call in calls.indices where calls[call].phase == .waiting {
            if calls[call].deadline <= now { begin(call) }
        }
    }

    private mutating func begin(_ index: Int) {
        calls[index].phase = .running
        calls[index].isInOperation = true
    }

    mutating func separate(includingWaiting: Bool, where isSeparated: (Int) -> Bool) {
        for index in calls.indices where includingWaiting || calls[index].phase != .waiting {
            let separated = calls[index].joinableKeys.filter(isSeparated)
            if separated.isEmpty { continue }
            counts.add("separated", separated.count)
            calls[index].joinableKeys.subtract(separated)
            calls[index].isSeparated = true
        }
    }

    /// Records that an operation asks for the notification of its call's abandonment again.
    mutating func watchAgain(_ number: UInt64) {
        if abandonments.contains(number) { lateAbandonments.append(number) }
    }

    /// Claims a call; returns whether it's needed.
    mutating func claim(_ number: UInt64) -> Bool {
        let index = Int(number) - 1
        let isNeeded = calls[index].isPresent
        counts.add(isNeeded ? "claim" : "refused claim")
        if isNeeded { calls[index].phase = .claimed }
        return isNeeded
    }

    /// Ends the operation of a call.
    ///
    /// - Parameter outputs: The outputs, or `nil` if the operation throws.
    mutating func end(_ number: UInt64, _ outputs: [Int: Int]?) {
        let index = Int(number) - 1
        calls[index].isInOperation = false
        guard calls[index].isPresent else {
            counts.add("late end")
            return
        }
        calls[index].phase = .ended
        calls[index].joinableKeys = []
        let waits = calls[index].waits
        calls[index].waits = [:]
        if waits.count > 1 { counts.add("shared answer") }
        for (caller, wait) in waits {
            guard let outputs else {
                counts.add("failure")
                leave(caller, .failure(Int(number)))
                continue
            }
            for key in wait.keys {
                answers[caller][key] = Answer(output: outputs[key], isOwn: wait.isOwn)
            }
            if !calls.contains(where: { $0.waits[caller] != nil }) {
                outcomes[caller] = .answers(answers[caller])
            }
        }
    }
}

extension NaiveFlight.Call {
    /// A Boolean value that indicates whether the call has as many keys as its rule admits.
    fileprivate var isFull: Bool { rule.map { keys.count >= $0.maximum } ?? false }
}
