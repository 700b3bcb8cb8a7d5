import Testing
import FlatCacheTesting

@testable import FlatCache
@testable import FlatCacheTestSupport

/// A run of the model test of loading handles, with a cache and its model.
final class HandleRun: RandomRun {
    private let clock = ManualClock()
    private let server = StationServer()
    private let cache: Cache
    private let handles: [Cached<Station>]
    private var tokens: [[Disposable]]
    private var random: SplitMix64
    private var model = HandleModel()

    private(set) var operations: [String] = []
    /// The number of events by their names.
    let counts = EventCounts()

    private static let idCount = 3

    init(seed: Seed) {
        random = SplitMix64(seed: seed)
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(
            Station.self,
            .unlimited,
            staleAfter: .after(.seconds(HandleModel.lifetime))
        )
        cache = Cache(configuration: configuration)
        cache.setLoader(for: Station.self, gathering: .zero) { [server] ids in
            try await server.load(ids)
        }
        for id in 0..<Self.idCount {
            for _ in 0..<random.number(in: 1...3) {
                model.handles.append(
                    HandleModel.Handle(
                        id: id,
                        hasRequirement: random.oneIn(2),
                        isNetworkOnly: random.oneIn(4)
                    )
                )
            }
        }
        let requirement: @Sendable (Station) -> Bool = { $0.revision > 0 }
        handles = model.handles.map { [cache] handle in
            cache.cached(Station.self, id: handle.id).loading(
                handle.isNetworkOnly ? .networkOnly : .cacheFirst,
                requiring: handle.hasRequirement ? requirement : nil
            )
        }
        tokens = handles.map { _ in [] }
        for (index, handle) in model.handles.enumerated() {
            operations.append(
                "handle \(index) to \(handle.id)"
                    + (handle.hasRequirement ? ", requiring a revision" : "")
                    + (handle.isNetworkOnly ? ", network only" : "")
            )
        }
    }

    // MARK: Steps

    /// Performs a random operation, and returns a description of the failure, or `nil`.
    func step() async -> String? {
        model.beginStep()
        switch random.below(20) {
        case 0..<4: observe()
        case 4: endObservation()
        case 5..<11: write()
        case 11, 12: advance()
        default: endCall()
        }
        return await problem()
    }

    /// Ends all observations, and returns a description of the failure, or `nil`.
    func end() async -> String? {
        operations.append("end all observations")
        counts.add("limited", model.limitedLoads)
        counts.add("cancelled", model.calls.count(where: \.isCancelled))
        for index in handles.indices {
            for token in tokens[index] {
                token.dispose()
                model.endObservation(index)
            }
            tokens[index] = []
        }
        if let problem = await problem() { return problem }
        let isIdle = await until(limit: modelStepTime) { cache.hasForgottenLoads }
        return isIdle ? nil : "loads left something behind: calls of \(cache.core.loads.keys)"
    }

    private func observe() {
        let index = random.below(handles.count)
        operations.append("observe \(index)")
        tokens[index].append(handles[index].observe { _ in })
        model.observe(index)
    }

    private func endObservation() {
        let index = random.below(handles.count)
        guard let token = tokens[index].popLast() else { return }
        operations.append("end an observation of \(index)")
        token.dispose()
        model.endObservation(index)
    }

    private func write() {
        let id = random.below(Self.idCount)
        switch random.below(10) {
        case 0..<4:
            // Two of the revisions are partial for the handles with a requirement.
            let revision = random.number(in: -1...2)
            operations.append("set \(id) to \(revision)")
            cache.set(Station(id: id, revision: revision))
            model.set(id, revision)
        case 4, 5:
            operations.append("remove \(id)")
            cache.remove(Station.self, id: id)
            model.remove(id)
        case 6, 7:
            operations.append("invalidate \(id)")
            cache.invalidate(Station.self, id: id)
            model.invalidate(id)
        case 8:
            operations.append("invalidate all")
            cache.invalidate(Station.self)
            for id in 0..<Self.idCount { model.invalidate(id) }
        default:
            operations.append("remove all")
            cache.removeAll(Station.self)
            for id in 0..<Self.idCount { model.remove(id) }
        }
    }

    private func advance() {
        let seconds = random.oneIn(4) ? random.number(in: 10...80) : random.number(in: 1...4)
        operations.append("let \(seconds) s pass")
        clock.advance(by: .seconds(seconds))
        cache.expireValues()
        model.advance(by: seconds, to: cache.now)
    }

    private func endCall() {
        let open = model.calls.indices.filter { !model.calls[$0].isOver }
        guard !open.isEmpty else { return observe() }
        let call = random.pick(open)
        guard let number = model.calls[call].number else { return }
        if random.oneIn(3) {
            operations.append("fail call \(call) of \(model.calls[call].id)")
            count("failed")
            server.fail(number)
            model.fail(call)
            return
        }
        var revision: Int? = random.oneIn(5) ? nil : random.below(3)
        let demanding = model.waiters(of: call).filter { model.handles[$0].hasRequirement }
        let isOrderKnown =
            demanding.count < 2 && demanding.allSatisfy { model.handles[$0].isOwner != nil }
        // Callers that have joined a call after its start repeat it if its answer is partial.
        if revision == 0, !isOrderKnown { revision = 1 }
        let id = model.calls[call].id
        let answer = revision.map { "\($0)" } ?? "nothing"
        operations.append("answer call \(call) of \(id) with \(answer)")
        count(revision == nil ? "missing" : revision == 0 ? "partial" : "whole")
        server.answer(number, with: revision.map { [Station(id: id, revision: $0)] } ?? [])
        let repetitions = model.repetitions
        model.answer(call, revision)
        counts.add("repeated", model.repetitions - repetitions)
    }

    private func count(_ name: String) { counts.add(name) }

    // MARK: Checks

    /// Waits until the cache agrees with the model, and adds the instants of the next attempts to
    /// the model.
    private func problem() async -> String? {
        guard await until(limit: modelStepTime, { difference() == nil }) else {
            return difference() ?? "too late"
        }
        let known = Set(model.calls.compactMap(\.number))
        for number in server.calls.indices where !known.contains(number) {
            let id = server.calls[number][0]
            guard let call = model.calls.firstIndex(where: { $0.id == id && $0.number == nil })
            else { return "call \(number) of \(id) isn't expected" }
            model.calls[call].number = number
        }
        for index in handles.indices where model.handles[index].phase == .failed(until: nil) {
            guard let end = handles[index].loadState.nextAttempt else { return "no next attempt" }
            let pause = Duration.seconds(min(60, 1 << (model.handles[index].failures - 1)))
            let next = cache.now.duration(to: end)
            if next < pause || next > pause * 1.25 { return "the pause of \(index) is \(next)" }
            model.handles[index].phase = .failed(until: end)
        }
        return nil
    }

    /// A description of the first difference, or `nil` if there is none.
    private func difference() -> String? {
        let calls = server.calls
        if calls.count != model.calls.count {
            return "\(calls) were requested instead of \(model.calls.map { [$0.id] })"
        }
        for id in 0..<Self.idCount {
            let count = model.calls.count { $0.id == id }
            let found = calls.count { $0 == [id] }
            if found != count { return "\(found) calls of \(id) were made instead of \(count)" }
            let revision = cache.get(Station.self, id: id)?.revision
            if revision != model.stored[id]?.revision {
                return "the revision of \(id) is \(revision ?? -1)"
            }
            if cache.freshness(of: Station.self, id: id).isStale != model.isStale(id) {
                return "\(id) is \(cache.freshness(of: Station.self, id: id))"
            }
            let joinable = model.calls.lastIndex { $0.id == id && $0.isJoinable }
            let waiters = joinable.map { model.waiters(of: $0).count } ?? 0
            let key = CacheKey(Station.self, id: id)
            if cache.core.loads.waiterCount(for: key) != waiters {
                return "\(cache.core.loads.waiterCount(for: key)) handles wait for \(id)"
            }
        }
        for (index, call) in model.calls.enumerated() {
            guard let number = call.number else { continue }
            if server.cancelledCalls.contains(number) != call.isCancelled {
                return "call \(index) was cancelled by mistake, or wasn't"
            }
        }
        for (index, handle) in handles.enumerated() {
            let (state, expected) = (handle.loadState.name, model.handles[index].phase.name)
            if state != expected { return "handle \(index) is \(state) instead of \(expected)" }
        }
        return nil
    }
}
