import FlatCacheTesting
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// A run of the model test of requests, with a cache, a server and their model.
///
/// The server holds all answers back until a step gives one, and a step ends when the cache has
/// done all that follows from it. Runs with the same seed are therefore the same.
final class RequestModelRun: RandomRun {
    typealias Book = RequestModelBook
    typealias Page = RequestModelPage

    struct Failure: Error {}

    /// An observation and the notifications that it has received.
    struct Observation {
        let number: Int
        let events: Recorder<String>
        let token: Disposable
    }

    let clock = ManualClock()
    let server = HeldServer<RequestModelCall, RequestModelAnswer>()
    let cache: Cache
    let handles: [CachedRequest<Page>]
    /// The maximum number of books, or `nil` if there's none.
    let bookLimit: Int?
    /// `true` if there are many loads in a short time.
    private let isBusy: Bool
    var random: SplitMix64
    var model: RequestModel
    var observations: [Observation] = []
    /// The observations of the progress of names, with the states that they have received.
    private(set) var progressObservations: [(name: String, states: Recorder<String>, Disposable)] =
        []
    private var pauses: [Disposable] = []
    private var tasks: [Int: Task<Void, Never>] = [:]
    let outcomes = Locked<[Int: RequestModelOutcome]>([:])
    private var lastNumber = 0
    private(set) var operations: [String] = []
    var counts: EventCounts { model.counts }
    /// `true` if the step may have evicted any value that isn't in use.
    var hasTrimmed = false

    init(seed: Seed) {
        random = SplitMix64(seed: seed)
        var handles: [RequestModel.Handle] = []
        isBusy = random.oneIn(3)
        for name in isBusy ? ["a1"] : ["a1", "a2", "b"] {
            for _ in 0..<random.number(in: 1...3) {
                let lifetime = random.pick(RequestModel.Lifetime.allCases)
                handles.append(RequestModel.Handle(name: name, lifetime: lifetime))
            }
        }
        model = RequestModel(handles)
        bookLimit = random.oneIn(2) ? random.number(in: 1...4) : nil
        var configuration = CacheConfiguration(clock: clock)
        if let bookLimit { configuration.limit(Book.self, .count(bookLimit)) }
        let cache = Cache(configuration: configuration)
        self.cache = cache
        let server = server
        self.handles = handles.enumerated().map { index, handle in
            Self.request(of: cache, server, index, handle)
        }
        operations = handles.enumerated().map {
            "handle \($0) of \($1.name), lifetime \($1.lifetime)"
        }
        if let bookLimit { note("\(bookLimit) books at most") }
    }

    private static func request(
        of cache: Cache,
        _ server: HeldServer<RequestModelCall, RequestModelAnswer>,
        _ index: Int,
        _ handle: RequestModel.Handle
    ) -> CachedRequest<Page> {
        let staleness: CacheStaleness<Page> =
            switch handle.lifetime {
            case .none: .after(.zero)
            case .short: .after(.seconds(10))
            case .never: .never
            case .own: .at(\.expires)
            }
        return cache.request(handle.name, staleAfter: staleness) {
            let lease = Ingestion.current?.lease?.number ?? 0
            let answer = try await server.response(
                to: RequestModelCall(handle: index, lease: lease)
            )
            for book in answer.books { Ingestion.current?.collect(book) }
            return answer.page
        } apply: { batch, page in
            if let list = page.list { batch.list("shelf", of: Book.self).replace(withIDs: list) }
            if let target = page.target { batch.alias("current", of: Book.self).target = target.id }
            if let book = page.added { batch.set(Book(id: book.id, title: book.title)) }
            if let id = page.removed { batch.remove(Book.self, id: id) }
            if page.isRefused { throw RequestModelFailure(call: page.call) }
        }
    }

    func note(_ operation: String) { operations.append(operation) }

    private func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Steps

    /// Performs a random operation, and returns a description of the failure, or `nil`.
    func step() async -> String? {
        model.beginStep()
        hasTrimmed = false
        switch random.below(isBusy && !random.oneIn(4) ? 20 : 40) {
        case 0..<10: endCall()
        case 10..<15 where isBusy, 15..<18: invalidate()
        case 10..<15, 18, 19: observe()
        case 20..<23: endObservation()
        case 23: changeProgressObservations()
        case 24..<27: startLoad()
        case 27: cancelLoad()
        case 28..<33: write()
        case 33..<36: advance()
        case 36, 37: changePauses()
        case 38: removeUnused()
        default: removeAll()
        }
        // A value that is no longer in use may have expired.
        cache.expireValues()
        model.expire()
        return await problem()
    }

    /// Ends everything, and returns a description of the failure, or `nil`.
    func end() async -> String? {
        note("end everything")
        model.beginStep()
        while !pauses.isEmpty { endPause() }
        if let problem = await problem() { return problem }
        while let observation = observations.popLast() { end(observation) }
        for observation in progressObservations {
            observation.2.dispose()
            model.observeProgress(observation.name, by: -1)
        }
        progressObservations = []
        for number in tasks.keys.sorted() { cancel(number) }
        cache.expireValues()
        model.expire()
        if let problem = await problem() { return problem }
        cache.removeAll()
        model.commit { $0.removeAll() }
        if let problem = await problem() { return problem }
        let isIdle = await until(limit: modelStepTime) {
            cache.hasForgottenLoads && cache.core.observedLoads.withLock(\.isEmpty)
        }
        return isIdle ? nil : "loads left something behind: calls of \(cache.core.loads.keys)"
    }

    // MARK: Observations

    private func observe() {
        let index = random.below(handles.count)
        let kind = random.pick(RequestModel.Observer.Kind.allCases)
        let initial = random.oneIn(2)
        let number = nextNumber()
        note("observe \(index) for \(kind)\(initial ? ", initially" : ""), as \(number)")
        let observer = RequestModel.Observer(
            number: number,
            handle: index,
            name: handles[index].name,
            kind: kind
        )
        model.observe(observer, initial: initial)
        let events = Recorder<String>()
        let token = observation(of: handles[index], kind, initial: initial, events)
        observations.append(Observation(number: number, events: events, token: token))
    }

    private func observation(
        of handle: CachedRequest<Page>,
        _ kind: RequestModel.Observer.Kind,
        initial: Bool,
        _ events: Recorder<String>
    ) -> Disposable {
        switch kind {
        case .values: handle.observe(initial: initial) { events.append("\($0)") }
        case .changes:
            handle.observeChanges { change in
                let pages = [change.old, change.new].map { $0.map { "\($0)" } ?? "-" }
                events.append("\(pages[0]) -> \(pages[1])")
            }
        case .note:
            handle.map(\.note).observe(initial: initial) {
                events.append($0.map { "\($0)" } ?? "-")
            }
        case .title:
            handle.map { page, cache in
                page.books.first.flatMap { Related<Book>($0).value(in: cache)?.title }
            }
            .observe(initial: initial) { events.append($0.map { "\($0)" } ?? "-") }
        }
    }

    private func endObservation() {
        guard !observations.isEmpty else { return observe() }
        end(observations.remove(at: random.below(observations.count)))
    }

    private func end(_ observation: Observation) {
        note("end observation \(observation.number)")
        observation.token.dispose()
        model.endObservation(observation.number)
    }

    private func changeProgressObservations() {
        if random.oneIn(2), let (name, _, token) = progressObservations.popLast() {
            note("end the observation of the progress of \(name)")
            token.dispose()
            return model.observeProgress(name, by: -1)
        }
        let handle = random.pick(handles)
        note("observe the progress of \(handle.name)")
        let states = Recorder<String>()
        let token = handle.loadStates.observe(initial: true) { states.append($0.name) }
        progressObservations.append((handle.name, states, token))
        model.observeProgress(handle.name, by: 1)
    }

    private func changePauses() {
        if !pauses.isEmpty, random.oneIn(2) { return endPause() }
        if pauses.count == 2 { return endPause() }
        note("pause loads")
        pauses.append(cache.pauseLoads())
        model.pauseLoads()
    }

    private func endPause() {
        note("end a pause of loads")
        pauses.removeLast().dispose()
        model.resumeLoads()
    }

    // MARK: Loads

    private func startLoad() {
        let index = random.below(handles.count)
        let isReload = random.oneIn(2)
        let number = nextNumber()
        note("\(isReload ? "reload" : "load") \(index), as \(number)")
        model.startLoad(number, by: index, isReload: isReload)
        tasks[number] = Task { [handle = handles[index], outcomes] in
            let outcome: RequestModelOutcome
            do {
                outcome = .page(try await isReload ? handle.reload() : handle.load())
            } catch let failure as RequestModelFailure {
                outcome = .failed(call: failure.call)
            } catch {
                outcome = .cancelled
            }
            outcomes.withLock { $0[number] = outcome }
        }
    }

    private func cancelLoad() {
        let waiting = tasks.keys.filter { model.outcomes[$0] == nil }.sorted()
        guard !waiting.isEmpty else { return startLoad() }
        cancel(random.pick(waiting))
    }

    private func cancel(_ number: Int) {
        if model.outcomes[number] != nil { return }
        note("cancel load \(number)")
        tasks[number]?.cancel()
        model.cancelLoad(number)
    }

    private func endCall() {
        guard let index = model.running.randomElement(using: &random),
            let number = model.calls[index].number
        else { return observe() }
        // While another call of the name runs, the instant of the next attempt isn't visible.
        let mayFail = !model.running.contains {
            $0 != index && model.calls[$0].name == model.calls[index].name
        }
        if mayFail, random.oneIn(5) {
            note("fail call \(index) of \(model.calls[index].name)")
            counts.add("failed")
            server.answer(number, .failure(RequestModelFailure(call: index)))
            return model.fail(index)
        }
        var answer = answer(to: index)
        answer.page.isRefused = mayFail && random.oneIn(12)
        note(
            "answer call \(index) of \(model.calls[index].name) with \(answer.page), "
                + "bringing \(answer.books.map { "\($0.id): \($0.title)" })"
        )
        server.answer(number, .success(answer))
        model.answer(index, answer)
    }

    private func answer(to index: Int) -> RequestModelAnswer {
        var page = Page(call: index, note: random.below(2), books: someBooks(3))
        if random.oneIn(2) {
            let offset = model.now + random.number(in: -3...15)
            page.expires = ManualClock.Instant(offset: .seconds(offset))
        }
        if random.oneIn(3) { page.list = someBooks(3) }
        if random.oneIn(3) { page.target = Page.Target(id: random.oneIn(3) ? nil : anyBook()) }
        if random.oneIn(6) { page.added = Page.Addition(id: anyBook(), title: random.below(3)) }
        if random.oneIn(8) { page.removed = anyBook() }
        if let stored = model.stored[model.calls[index].name], random.oneIn(3) {
            page = stored.page
            page.call = index
        }
        var ids = page.books.filter { _ in !random.oneIn(4) }
        if random.oneIn(4) {
            let id = anyBook()
            if !ids.contains(id) { ids.append(id) }
        }
        return RequestModelAnswer(
            page: page,
            books: ids.map { Book(id: $0, title: random.below(3)) }
        )
    }

    func anyBook() -> Int { random.below(Book.ids.count) }

    func someBooks(_ count: Int) -> [Int] {
        Array(Array(Book.ids).shuffled(using: &random).prefix(random.below(count + 1)))
    }
}
