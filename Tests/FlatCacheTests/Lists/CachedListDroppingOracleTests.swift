import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Random writes, compared with lists that search all identifiers of each removal.
struct CachedListDroppingOracleTests {
    @Test(.tags(.slow))
    func randomWritesMatchANaiveModel() async {
        let counts = await RandomTestSettings(seeds: 200, steps: 60).run { Run(seed: $0) }
        counts?.expectOften(["dropped", "kept", "rolled back", "stored again", "emptied"])
    }

    struct Parcel: CacheEntity, Equatable {
        let id: Int
        var content = 0
    }

    struct Van: CacheEntity, OwnsCachedValues, Equatable {
        let id: Int
        var parcels: [Int]
        var ownedCacheKeys: Set<CacheKey> {
            Set(parcels.map { CacheKey(Parcel.self, id: $0) })
        }
    }

    /// The lists and the owners, without the values of the elements.
    struct Model {
        var lists: [String: [Int]] = ["drop 1": [], "drop 2": [], "keep": []]
        var vans: [Int: [Int]] = [:]
        /// The removed entities of the open transaction that it hasn't stored again.
        var removed: Set<Int> = []
        /// The entities that the open transaction has stored since it removed all, or `nil`.
        var storedSinceEmptied: Set<Int>?

        mutating func store(_ id: Int) {
            removed.remove(id)
            storedSinceEmptied?.insert(id)
        }

        mutating func remove(_ id: Int) {
            removed.insert(id)
            storedSinceEmptied?.remove(id)
        }

        mutating func commit() -> Int {
            var dropped = 0
            for name in ["drop 1", "drop 2"] {
                let kept = lists[name, default: []].filter { id in
                    !removed.contains(id) && storedSinceEmptied?.contains(id) ?? true
                }
                dropped += lists[name, default: []].count - kept.count
                lists[name] = kept
            }
            removed = []
            storedSinceEmptied = nil
            return dropped
        }
    }

    struct Run: RandomRun {
        private var random: SplitMix64
        private let cache: Cache
        private var model = Model()
        private(set) var operations: [String] = []
        let counts = EventCounts()

        init(seed: Seed) {
            random = SplitMix64(seed: seed)
            var configuration = CacheConfiguration()
            configuration.dropRemovedElements(of: Parcel.self) { $0.hasPrefix("drop") }
            if random.oneIn(2) { configuration.limit(Parcel.self, .count(5)) }
            cache = Cache(configuration: configuration)
        }

        mutating func step() -> String? {
            if random.oneIn(3) {
                operations.append("batch")
                let isFailing = random.oneIn(4)
                let before = model
                try? cache.performBatchUpdates { batch in
                    for _ in 0..<random.below(5) {
                        if random.oneIn(4) { writeInSavepoint() } else { write(to: batch) }
                    }
                    if isFailing { throw CancellationError() }
                }
                if isFailing { model = before }
            } else {
                write(to: cache)
            }
            let dropped = model.commit()
            if dropped > 0 { counts.add("dropped", dropped) }
            return difference
        }

        private mutating func writeInSavepoint() {
            let before = model
            let isFailing = random.oneIn(2)
            operations.append(isFailing ? "failing savepoint" : "savepoint")
            try? cache.performBatchUpdates { inner in
                for _ in 0..<random.below(3) { write(to: inner) }
                if isFailing { throw CancellationError() }
            }
            if isFailing {
                if before.removed != model.removed { counts.add("rolled back") }
                model = before
            }
        }

        private mutating func write(to cache: some CacheType) {
            let id = random.below(8)
            let name = random.pick(["drop 1", "drop 2", "keep"])
            let list = cache.list(name, of: Parcel.self, pinsElements: random.oneIn(2))
            switch random.below(10) {
            case 0:
                operations.append("set \(id)")
                cache.set(Parcel(id: id, content: random.below(3)))
                if model.removed.contains(id) { counts.add("stored again") }
                model.store(id)
            case 1, 2:
                operations.append("remove \(id)")
                cache.remove(Parcel.self, id: id)
                model.remove(id)
            case 3:
                guard random.oneIn(3) else { return }
                if random.oneIn(3) {
                    operations.append("remove all")
                    cache.removeAll()
                    for name in model.lists.keys { model.lists[name] = [] }
                    model.vans = [:]
                    return
                }
                operations.append("remove all parcels")
                cache.removeAll(Parcel.self)
                model.removed = []
                model.storedSinceEmptied = []
                counts.add("emptied")
            case 4:
                let ids = (0..<random.below(5)).map { _ in random.below(10) }
                operations.append("replace \(name) with \(ids)")
                list.replace(withIDs: ids)
                model.lists[name] = ids.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
            case 5:
                operations.append("append \(id) to \(name)")
                list.append(contentsOf: [Parcel(id: id)])
                model.store(id)
                if !model.lists[name, default: []].contains(id) { model.lists[name]?.append(id) }
            case 6:
                operations.append("remove \(id) from \(name)")
                list.remove(id)
                model.lists[name]?.removeAll { $0 == id }
            case 7:
                operations.append("reverse \(name)")
                list.update { $0.reverse() }
                model.lists[name]?.reverse()
            case 8:
                let parcels = (0..<2).map { _ in random.below(8) }
                operations.append("van \(id) owns \(parcels)")
                cache.set(Van(id: id, parcels: parcels))
                model.vans[id] = parcels
            default:
                operations.append("remove van \(id)")
                cache.remove(Van.self, id: id)
                for parcel in model.vans.removeValue(forKey: id) ?? [] { model.remove(parcel) }
            }
        }

        private var difference: String? {
            cache.core.checkInvariants()
            for (name, ids) in model.lists.sorted(by: { $0.key < $1.key }) {
                let found = cache.list(name, of: Parcel.self).ids
                if found != ids { return "\(name) is \(found), but should be \(ids)." }
                counts.add("kept", ids.count { !cache.contains(Parcel.self, id: $0) })
            }
            return nil
        }
    }
}
