@testable import FlatCache
@testable import FlatCacheTestSupport

/// The state of a single flight, whose invariants are checked after every change.
final class CheckedFlight {
    typealias State = SingleFlightState<String, Int>

    private(set) var state = State()
    let abandonments = Recorder<UInt64>()
    /// The tasks of the calls by their numbers, and those of their pauses by 100 more.
    private var tasks: [UInt64: Task<Void, Never>] = [:]

    deinit {
        for task in tasks.values { task.cancel() }
    }

    /// The numbers of the calls whose tasks were cancelled, and those of their pauses, plus 100.
    var cancellations: [UInt64] { tasks.filter { $0.value.isCancelled }.keys.sorted() }

    /// Adds a caller; returns the calls to start.
    func join(
        _ caller: FlightCaller,
        _ keys: String...,
        inBackground backgroundKeys: [String] = [],
        gathering: FlightGathering? = nil
    ) -> [State.Start] {
        let joining = state.join(
            caller.waiter,
            caller.continuation,
            keys,
            inBackground: backgroundKeys,
            knowing: nil,
            gathering
        )
        return start(joining)
    }

    func join(
        inBackground keys: String...,
        gathering: FlightGathering? = nil
    ) -> [State.Start] {
        start(state.join(inBackground: keys, gathering))
    }

    /// Gives a task to each call that is started, as the flight does.
    private func start(_ joining: State.Joining) -> [State.Start] {
        for call in joining.calls {
            let task = waitingTask(call.number)
            let pause = call.isGathering ? waitingTask(100 + call.number) : nil
            for ended in state.setTask(task, after: pause, of: call.number) { ended.cancel() }
        }
        joining.ending.end()
        state.checkInvariants()
        return joining.calls
    }

    /// Returns a task that ends when it's cancelled.
    private func waitingTask(_ number: UInt64) -> Task<Void, Never> {
        let task = Task { await untilCancelled() }
        tasks[number] = task
        return task
    }

    func leave(_ caller: FlightCaller) {
        state.leave(caller.waiter).end()
        state.checkInvariants()
    }

    /// Begins a call; returns its keys, or `nil` if it mustn't begin.
    func begin(_ number: UInt64) -> [String]? {
        defer { state.checkInvariants() }
        return state.begin(number)
    }

    func claim(_ number: UInt64) -> Bool {
        defer { state.checkInvariants() }
        return state.claim(number)
    }

    /// Records the abandonment of a call; returns whether the call is needed.
    func recordAbandonment(of number: UInt64) -> Bool {
        defer { state.checkInvariants() }
        return state.setAbandonment({ [abandonments] in abandonments.append(number) }, of: number)
    }

    func end(_ number: UInt64, _ outputs: [String: Int]) {
        state.end(number, .success(outputs)).end()
        state.checkInvariants()
    }

    func end(_ number: UInt64, throwing error: any Error) {
        state.end(number, .failure(error)).end()
        state.checkInvariants()
    }

    func separate(_ key: String) {
        state.separate(key)
        state.checkInvariants()
    }

    func separateAll(includingWaiting: Bool) {
        state.separate(includingWaiting: includingWaiting) { _ in true }
        state.checkInvariants()
    }
}

extension FlightGathering {
    /// A rule whose pause the test doesn't use.
    static func rule(
        group: UInt64 = 1,
        maximum: Int = 3,
        waitsForOthers: Bool = true
    ) -> FlightGathering {
        FlightGathering(group: group, maximum: maximum, waitsForOthers: waitsForOthers) {}
    }
}
