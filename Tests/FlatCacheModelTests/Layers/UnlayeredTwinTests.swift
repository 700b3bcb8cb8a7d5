import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Random writes, invalidations and loads in a cache with layers and in one without, which must
/// have the same confirmed values, and the same freshness.
struct UnlayeredTwinTests {
    typealias Document = LayerModelTests.Document

    @Test(arguments: RandomTestSettings(seeds: 60).seeds)
    func confirmedStateIsThatOfACacheWithoutLayers(seed: Seed) async throws {
        var twins = Twins(seed)
        for step in 0..<150 {
            twins.place = "\(seed), step \(step)"
            try await twins.step()
            twins.check()
        }
        while let layer = twins.layers.popLast() {
            layer.layer.rollBack()
            twins.check()
        }
        for load in twins.loads { try await twins.answer(load) }
        twins.check()
        #expect(twins.layered.core.loads.isIdle, "\(seed)")
    }
}

/// A cache with layers, and its twin without.
private struct Twins {
    typealias Document = LayerModelTests.Document
    typealias Server = HeldServer<Int, Document?>

    enum Operation {
        case set(Document)
        case update(Int, first: Int)

        var id: Int {
            switch self {
            case .set(let document): document.id
            case .update(let id, _): id
            }
        }
    }

    struct Load {
        let id: Int
        /// The number of the request at each of the servers.
        let request: Int
        let tasks: [Task<Document?, any Error>]
    }

    let layered: Cache
    let plain: Cache
    let clock = SleeplessClock()
    let servers = [Server(), Server()]
    var place = ""
    var layers: [(layer: OpenLayer, operations: [Operation])] = []
    var loads: [Load] = []
    private var random: SplitMix64
    private var requestCount = 0
    private let ids = 0..<4

    private var caches: [Cache] { [layered, plain] }

    init(_ seed: Seed) {
        random = SplitMix64(seed: seed)
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(Document.self, .unlimited, staleAfter: .seconds(10))
        layered = Cache(configuration: configuration)
        plain = Cache(configuration: configuration)
    }

    mutating func step() async throws {
        let id = random.below(ids.count)
        switch random.below(14) {
        case 0, 1, 2:
            let value = document(id)
            #expect(layered.set(value) == plain.set(value), "\(place)")
        case 3:
            let first = random.below(100)
            for cache in caches { cache.update(Document.self, id: id) { $0.first = first } }
        case 4: for cache in caches { cache.remove(Document.self, id: id) }
        case 5: for cache in caches { cache.invalidate(Document.self, id: id) }
        case 6 where random.below(3) == 0:
            for cache in caches { cache.invalidate(Document.self) }
        case 7: clock.advance(by: .seconds(3))
        case 8, 9: beginLayer()
        case 10:
            if layers.isEmpty { return }
            layers.remove(at: random.below(layers.count)).layer.rollBack()
        case 11: try confirm()
        case 12 where !loads.contains { $0.id == id }: await beginLoad(id)
        default:
            if loads.isEmpty { return }
            try await answer(loads.remove(at: random.below(loads.count)))
        }
    }

    private mutating func document(_ id: Int) -> Document {
        Document(
            id: id,
            first: random.below(2) == 0 ? nil : random.below(3),
            second: random.below(2) == 0 ? nil : random.below(3)
        )
    }

    // MARK: Layers

    private mutating func beginLayer() {
        var operations: [Operation] = []
        for _ in 0...random.below(2) {
            let id = random.below(ids.count)
            operations.append(
                random.below(3) == 0 ? .set(document(id)) : .update(id, first: random.below(3))
            )
        }
        let layer = layered.beginLayer("") { layer in
            for operation in operations {
                switch operation {
                case .set(let document): layer.set(document)
                case .update(let id, let first):
                    layer.update(Document.self, id: id) { $0.first = first }
                }
            }
        }
        layers.append((layer, operations))
    }

    /// Confirms a layer whose edits needn't wait for an older one.
    private mutating func confirm() throws {
        let candidates = layers.indices.filter { index in
            let edited = Set(layers[index].operations.map(\.id))
            return !layers[..<index].contains { $0.operations.contains { edited.contains($0.id) } }
        }
        if candidates.isEmpty { return }
        let (layer, operations) = layers.remove(at: candidates[random.below(candidates.count)])
        try layer.confirm()
        plain.performBatchUpdates { batch in
            for operation in operations {
                switch operation {
                case .set(let document): batch.set(document)
                case .update(let id, let first):
                    batch.update(Document.self, id: id) { $0.first = first }
                }
            }
        }
    }

    // MARK: Loads

    private mutating func beginLoad(_ id: Int) async {
        let tasks = zip(caches, servers).map { cache, server in
            Task {
                try await cache.load(Document.self, id: id, policy: .networkOnly) {
                    try await server.response(to: id)
                }
            }
        }
        loads.append(Load(id: id, request: requestCount, tasks: tasks))
        requestCount += 1
        let count = requestCount
        _ = await until { [servers] in servers.allSatisfy { $0.requests.count == count } }
    }

    mutating func answer(_ load: Load) async throws {
        let value = random.below(4) == 0 ? nil : document(load.id)
        var results: [Document?] = []
        for (server, task) in zip(servers, load.tasks) {
            server.answer(load.request, .success(value))
            results.append(try await task.value)
        }
        #expect(results[0] == results[1], "\(place)")
    }

    // MARK: Checks

    func check() {
        for id in ids {
            let value = plain[Document.self, id]
            #expect(layered.confirmed[Document.self, id] == value, "\(place), \(id)")
            let freshness = plain.freshness(of: Document.self, id: id)
            if value != nil {
                let visible = layered.freshness(of: Document.self, id: id)
                #expect(visible == freshness, "\(place), \(id)")
            }
            #expect(
                layered.confirmed.freshness(of: Document.self, id: id) == freshness,
                "\(place), \(id)"
            )
            if layers.isEmpty { #expect(layered[Document.self, id] == value, "\(place), \(id)") }
        }
        layered.core.checkInvariants()
    }
}
