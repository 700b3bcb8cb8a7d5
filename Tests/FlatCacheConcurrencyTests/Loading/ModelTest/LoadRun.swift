import Testing
@testable import FlatCache
@testable import FlatCacheTestSupport

/// A run of the model test of loads, with a cache, a server and their model.
///
/// The server holds all answers back until a step releases one, and a step ends when the cache has
/// done all that follows from it. So runs with the same seed are the same.
final class LoadRun: RandomRun {
    typealias Key = LoadModelKey

    struct Failure: Error {}

    let clock = SleeplessClock()
    let cache: Cache
    let server = LoadServer()
    var random: SplitMix64
    var model = LoadModel()
    var calls = LoadCalls()
    /// The tasks of the loads, by the loads' numbers.
    private var tasks: [Int: Task<Void, Never>] = [:]
    let outcomes = Locked<[Int: LoadCalls.Outcome]>([:])
    /// The numbers of the calls, by the positions of their requests on the server.
    var callNumbers: [Int] = []
    private var lastField = 0
    private(set) var operations: [String] = []
    let counts = EventCounts()

    init(seed: Seed) {
        random = SplitMix64(seed: seed)
        var configuration = CacheConfiguration(clock: clock)
        configuration.segmentSize = .small
        cache = Cache(configuration: configuration)
        cache.limit(
            LoadRow.self,
            staleAfter: .after(.seconds(LoadModel.rowLifetime)),
            expires: .afterWrite(.seconds(LoadModel.rowTimeToLive))
        )
        setLoaders()
        var values: [Key: [Int?]] = [:]
        for key in Key.all { values[key] = fields() }
        server.values = values
    }

    private func setLoaders() {
        setLoader(of: LoadRow.self, .row) { LoadModel.isWhole($0.fields) }
        setLoader(of: LoadNote.self, .note)
    }

    private func setLoader<Entity: LoadModelEntity>(
        of type: Entity.Type,
        _ kind: Key.Kind,
        requiring isWhole: (@Sendable (Entity) -> Bool)? = nil
    ) {
        cache.setLoader(
            for: type,
            gathering: .zero,
            requiring: isWhole,
            rememberingFailures: LoadModel.loaderFailureMemory(of: kind).map { .seconds($0) }
        ) { [server] ids in
            try await server.entities(type, kind, ids)
        }
    }

    func note(_ operation: String) { operations.append(operation) }

    func count(_ name: String) { counts.add(name) }

    /// Returns fields that no other write contains.
    func fields() -> [Int?] {
        (0..<3).map { _ in
            lastField += 1
            return random.oneIn(2) ? nil : lastField
        }
    }

    func anyKey(_ kind: Key.Kind) -> Key { Key(kind: kind, id: random.below(Key.ids.count)) }

    // MARK: Steps

    /// Performs a random operation, and returns a description of the failure, or `nil`.
    func step() async -> String? {
        model.tick()
        switch random.below(20) {
        case 0..<6: startLoad()
        case 6..<10: endCall()
        case 10: cancelLoad()
        case 11..<16: write()
        case 16, 17: changeServer()
        case 18: passTime()
        default: doRareOperation()
        }
        calls.separate(model.takeSeparated())
        return await problem()
    }

    /// Ends all calls, and returns a description of the failure, or `nil`.
    func end() async -> String? {
        while !calls.calls.isEmpty {
            model.tick()
            endCall()
            if let problem = await problem() { return problem }
        }
        if !calls.loads.isEmpty { return "the model has loads without calls" }
        let isIdle = await until(limit: modelStepTime) { cache.hasForgottenLoads }
        return isIdle
            ? nil
            : "loads left something behind: \(cache.leaseCount) leases, \(waitingProblem())"
    }

    private func changeServer() {
        let key = anyKey(random.pick(Key.Kind.allCases))
        if random.oneIn(4), key.kind != .request {
            note("the server deletes \(key)")
            server.values[key] = nil
        } else {
            server.values[key] = fields()
            note("the server changes \(key) to \(server.values[key, default: []])")
        }
    }

    private func passTime() {
        // Responses are removed five minutes after they became stale.
        let isLong = random.oneIn(6)
        let seconds = isLong ? random.number(in: 100...350) : random.number(in: 1...15)
        note("\(seconds) s pass")
        model.clockTime += seconds
        clock.advance(by: .seconds(seconds))
        // A commit may remove expired values, which are frequent after a long time.
        if isLong || random.oneIn(2) {
            note("expire")
            cache.expireValues()
            model.expire()
        }
    }

    private func doRareOperation() {
        switch random.below(4) {
        case 0:
            note("evict everything")
            cache.trim(to: .count(0))
            model.evictAll()
        case 1:
            note("prune everything")
            cache.pruneUnobservedValues()
            model.evictAll()
        case 2:
            note("replace the loaders")
            setLoaders()
            calls.separate(Set(Key.all.filter { $0.kind != .request }))
            model.forgetFailures { $0.kind != .request }
        default:
            note("expire")
            cache.expireValues()
            model.expire()
        }
    }

    // MARK: Loads

    private func startLoad() {
        let kind = random.pick(Key.Kind.allCases)
        let isSingle = kind == .request || random.oneIn(2)
        var keys: [Key] = [anyKey(kind)]
        // Often a key whose call is running, so that loads join calls and repeat partial answers.
        let running = calls.waiterCounts.keys.filter { $0.kind == kind }.sorted { $0.id < $1.id }
        if !running.isEmpty, random.oneIn(2) { keys = [random.pick(running)] }
        let failed = Key.all.filter { $0.kind == kind && model.failure(of: $0) != nil }
        if !failed.isEmpty, random.oneIn(2) { keys = [random.pick(failed)] }
        if !isSingle {
            for _ in 0..<random.below(4) {
                let key = anyKey(kind)
                if !keys.contains(key) { keys.append(key) }
            }
        }
        // Whether a stored value disproves a remembered absence depends on versions, which the
        // model doesn't have. `RememberedFailuresTests` has examples.
        keys.removeAll { model.stored[$0] != nil && model.failure(of: $0)?.isError == false }
        if keys.isEmpty { return }
        // Two loads that repeat partial answers at once would start their calls in any order.
        let mayRequire = kind != .request && !calls.loads.values.contains { $0.options.isStrict }
        let isByLoader =
            kind == .note && random.oneIn(3) || kind == .row && mayRequire && random.oneIn(2)
        let options = LoadCalls.Options(
            policy: random.pick([
                .cacheFirst, .cacheFirst, .networkOnly, .networkOnly, .staleWhileRevalidate,
                .cacheOnly,
            ]),
            requiresAll: mayRequire && random.oneIn(2),
            needsWhole: isByLoader && kind == .row,
            lifetime: random.oneIn(2) ? nil : random.number(in: 1...20),
            failureMemory: isByLoader
                ? LoadModel.loaderFailureMemory(of: kind)
                : random.oneIn(2) ? nil : random.number(in: 1...20)
        )
        if keys.contains(where: { model.failure(of: $0) != nil }) { count("remembered") }
        // Several calls of one step begin in any order, so only single loads bring other entities.
        var extras: [Key] = []
        if isSingle, !isByLoader {
            for _ in 0..<random.below(3) {
                let key = anyKey(random.oneIn(2) ? .row : .note)
                if !keys.contains(key), !extras.contains(key) { extras.append(key) }
            }
        }
        let before = calls.callCount
        let number = calls.start(keys, options, extras: extras, model, server.values)
        if calls.callCount == before, calls.loads[number] != nil { count("joined") }
        note(
            "load \(number) of \(keys), \(options.policy)\(options.requiresAll ? ", whole" : "")"
                + (options.failureMemory.map { ", remembering failures for \($0) s" } ?? "")
                + "\(isByLoader ? ", by the loader" : ""), bringing \(extras)"
        )
        tasks[number] = Task { [cache, server, outcomes] in
            let call = LoadRunCall(cache: cache, server: server, keys: keys, extras: extras)
            let outcome: LoadCalls.Outcome
            do {
                outcome = .values(
                    try await call.load(options, isSingle: isSingle, isByLoader: isByLoader)
                )
            } catch is LoadServer.Failure {
                outcome = .failed
            } catch is LoadError {
                outcome = .missingResponse
            } catch {
                outcome = .cancelled
            }
            outcomes.withLock { $0[number] = outcome }
        }
    }

    private func endCall() {
        guard let number = calls.calls.keys.sorted().randomElement(using: &random),
            let call = calls.calls[number],
            let position = callNumbers.firstIndex(of: number)
        else { return }
        let isFailed = random.oneIn(6)
        note("call \(number) of \(call.keys) \(isFailed ? "fails" : "answers")")
        let isLate = (call.keys + call.extras).contains { key in
            model.hasWrite(to: key, since: call.beginning)
        }
        if !call.isNeeded {
            count("abandoned")
        } else if isLate, !isFailed {
            count("late")
        }
        let before = calls.callCount
        calls.end(number, isFailed: isFailed, &model, server.values)
        if calls.callCount > before { count("repeated") }
        let request = server.requests[position].end
        request.end(throwing: isFailed ? LoadServer.Failure() : nil)
    }

    private func cancelLoad() {
        guard let number = calls.loads.keys.sorted().randomElement(using: &random) else { return }
        note("cancel load \(number)")
        count("cancelled")
        calls.cancel(number)
        tasks[number]?.cancel()
    }
}
