import TestSupport

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Random writes to a cache with a participant of each kind, and the naive model of the result.
struct ParticipantRun {
    private let cache = Cache()
    private let log = ItemLog()
    private let tokens: [Disposable]
    /// A Boolean value that indicates whether no change is exchanged in place, without the log.
    private let recordsAllChanges: Bool
    private var random: SplitMix64
    private var model: [Int: Item] = [:]

    init(seed: Seed) {
        random = SplitMix64(seed: seed)
        recordsAllChanges = random.oneIn(2)
        tokens = [
            PriceLimit.register(in: cache), ItemGroups.register(in: cache),
            recordsAllChanges ? log.register(in: cache) : cache.add(log),
        ]
    }

    private mutating func item() -> Item {
        Item(id: random.below(6), group: random.below(3), price: random.below(200))
    }

    private mutating func write(_ item: Item) {
        var item = item
        item.price = min(item.price, PriceLimit.highest)
        model[item.id] = item
    }

    private mutating func step() {
        switch random.below(6) {
        case 0, 1:
            let item = item()
            cache.set(item)
            write(item)
        case 2:
            let items = (0..<random.below(4)).map { _ in item() }
            cache.set(contentsOf: items)
            for item in items { write(item) }
        case 3:
            let id = random.below(6)
            cache.remove(Item.self, id: id)
            model[id] = nil
        case 4:
            let change = item()
            cache.update(Item.self, id: change.id) { $0 = change }
            if model[change.id] != nil { write(change) }
        default:
            let (first, second, removed) = (item(), item(), random.below(6))
            let fails = random.oneIn(3)
            try? cache.performBatchUpdates { batch in
                batch.set(first)
                batch.remove(Item.self, id: removed)
                batch.set(second)
                if fails { throw CancellationError() }
            }
            if fails { return }
            write(first)
            model[removed] = nil
            write(second)
        }
    }

    /// Returns the first difference from the model, or `nil` if there is none.
    mutating func problem(steps: Int) -> String? {
        var version = cache.version
        for number in 1...steps {
            let before = model
            step()
            let stored = Dictionary(
                uniqueKeysWithValues: cache.values(of: Item.self).map { ($0.id, $0) }
            )
            guard stored == model else { return "step \(number) stores \(stored), not \(model)" }
            let groups = Dictionary(grouping: model.values, by: \.group)
                .map { ItemGroup(id: $0, members: Set($1.map(\.id))) }
            guard Set(cache.values(of: ItemGroup.self)) == Set(groups) else {
                return "step \(number) derives \(cache.values(of: ItemGroup.self)), not \(groups)"
            }
            guard (cache.version > version) == (model != before) else {
                return
                    "step \(number) changed \(before) to \(model) without a commit, or vice versa"
            }
            version = cache.version
            cache.core.checkInvariants()
        }
        return logProblem
    }

    /// The difference between the recorded changes and the model, if each change was recorded.
    private var logProblem: String? {
        guard recordsAllChanges else { return nil }
        var replayed: [Int: Item] = [:]
        for line in log.lines.all {
            for (id, values) in line.changes {
                guard replayed[id] == values[0] else { return "the log misses a change of \(id)" }
                replayed[id] = values[1]
            }
        }
        return replayed == model ? nil : "the log leads to \(replayed), not \(model)"
    }
}
