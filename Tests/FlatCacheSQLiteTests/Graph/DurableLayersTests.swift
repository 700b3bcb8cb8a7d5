import FlatCache
@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport
import TestSupport
import Testing

/// Tests that the file contains the confirmed values beneath open layers.
struct DurableLayersTests {
    private let folder: GraphFolder

    init() throws {
        folder = try GraphFolder()
    }

    private func attached(to cache: Cache) async throws -> SQLiteGraph {
        let graph = try folder.graph {
            Durable(Profile.self, "profile", load: .atStart)
            DurableList("all", of: Profile.self)
        }
        try await graph.attach(to: cache)
        return graph
    }

    @Test func editsAreWrittenWhenTheyAreConfirmed() async throws {
        let cache = Cache()
        let graph = try await attached(to: cache)
        cache.set(Profile(id: 1, name: "Ursula"))
        try await graph.flush()
        let layer = cache.beginLayer("Rename") { layer in
            layer.update(Profile.self, id: 1) { $0.name = "Le Guin" }
            layer.set(Profile(id: 2, name: "Stanisław"))
        }
        try await graph.flush()
        #expect(try folder.run("SELECT id FROM profile") == ["1"])
        let reader = Cache()
        let second = try await attached(to: reader)
        #expect(reader.values(of: Profile.self) == [Profile(id: 1, name: "Ursula")])
        try await second.detach()
        try layer.confirm()
        try await graph.flush()
        #expect(try folder.run("SELECT id FROM profile ORDER BY id") == ["1", "2"])
    }

    @Test func aHiddenEntityKeepsItsRow() async throws {
        let cache = Cache()
        let graph = try await attached(to: cache)
        cache.set(Profile(id: 1, name: "Ursula"))
        try await graph.flush()
        let layer = cache.beginLayer("Delete") { $0.remove(Profile.self, id: 1) }
        #expect(cache[Profile.self, 1] == nil)
        cache.set(Profile(id: 1, email: "ursula@example.com"))
        try await graph.flush()
        #expect(try folder.run("SELECT id FROM profile") == ["1"])
        try layer.confirm()
        try await graph.flush()
        #expect(try folder.run("SELECT id FROM profile").isEmpty)
    }

    @Test func aConfirmedChangeThatLeavesTheVisibleValueEqualIsWritten() async throws {
        let cache = Cache()
        let graph = try await attached(to: cache)
        cache.set(Profile(id: 1, name: "Ursula"))
        let layer = cache.beginLayer("Rename") { layer in
            layer.update(Profile.self, id: 1) { $0.name = "Le Guin" }
        }
        try await graph.flush()
        cache.set(Profile(id: 1, name: "Ursula K."))
        #expect(cache[Profile.self, 1]?.name == "Le Guin")
        try await graph.detach()
        layer.rollBack()
        let reopened = Cache()
        _ = try await attached(to: reopened)
        #expect(reopened[Profile.self, 1]?.name == "Ursula K.")
    }

    @Test func valuesThatABatchStoresBeforeLayersCoverThemAreWritten() async throws {
        let cache = Cache()
        let graph = try await attached(to: cache)
        cache.set(contentsOf: [Profile(id: 2, name: "Joanna"), Profile(id: 3, name: "James")])
        try await graph.flush()
        var layers: [OpenLayer] = []
        cache.performBatchUpdates { batch in
            batch.set(Profile(id: 1, name: "Ursula"))
            batch.remove(Profile.self, id: 2)
            layers = (1...3).map { id in
                batch.beginLayer("\(id)") { $0.set(Profile(id: id, name: "Draft")) }
            }
            layers.removeLast().rollBack()
            batch.set(Profile(id: 3, name: "Octavia"))
            layers.append(batch.beginLayer("3") { $0.set(Profile(id: 3, name: "Draft")) })
        }
        try await graph.flush()
        let reader = Cache()
        _ = try await attached(to: reader)
        #expect(reader[Profile.self, 1]?.name == "Ursula")
        #expect(reader[Profile.self, 2] == nil)
        #expect(reader[Profile.self, 3]?.name == "Octavia")
        for layer in layers { layer.rollBack() }
    }

    @Test func anUpdateOfAnEntityThatOnlyALayerHasRemovesNoRow() async throws {
        let cache = Cache()
        let graph = try await attached(to: cache)
        cache.set(Profile(id: 1, name: "Ursula"))
        try await graph.flush()
        cache.pruneUnobservedValues()
        #expect(cache[Profile.self, 1] == nil)
        let layer = cache.beginLayer("1") { $0.set(Profile(id: 1, email: "draft")) }
        #expect(cache.update(Profile.self, id: 1) { $0.email = "b" } == nil)
        try await graph.flush()
        #expect(try folder.run("SELECT id FROM profile") == ["1"])
        layer.rollBack()
    }

    @Test func pruningAfterARollbackInTheSameBatchKeepsTheRow() async throws {
        let cache = Cache()
        let graph = try await attached(to: cache)
        cache.set(Profile(id: 1, name: "Ursula"))
        try await graph.flush()
        let layer = cache.beginLayer("Rename") { layer in
            layer.update(Profile.self, id: 1) { $0.name = "Le Guin" }
        }
        cache.performBatchUpdates { batch in
            layer.rollBack()
            cache.pruneUnobservedValues()
            #expect(batch[Profile.self, 1] == nil)
        }
        try await graph.flush()
        #expect(try folder.run("SELECT id FROM profile") == ["1"])
    }

    @Test func aRemovalAndANewValueBeneathAHiddenEntityAreWritten() async throws {
        let cache = Cache()
        let graph = try await attached(to: cache)
        cache.set(Profile(id: 1, name: "Ursula", email: "ursula@example.com"))
        try await graph.flush()
        let layer = cache.beginLayer("Delete") { $0.remove(Profile.self, id: 1) }
        cache.performBatchUpdates { batch in
            batch.remove(Profile.self, id: 1)
            batch.set(Profile(id: 1, name: "Le Guin"))
            #expect(batch[Profile.self, 1] == nil)
        }
        try await graph.flush()
        let reader = Cache()
        _ = try await attached(to: reader)
        #expect(reader[Profile.self, 1] == Profile(id: 1, name: "Le Guin"))
        layer.rollBack()
    }

    @Test func aGraphThatIsAttachedBeneathOpenLayersHasConfirmedValues() async throws {
        let cache = Cache()
        cache.set(contentsOf: [Profile(id: 1, name: "Ursula"), Profile(id: 2, name: "Joanna")])
        cache.list("all", of: Profile.self).ids = [1]
        let layer = cache.beginLayer("Edit") { layer in
            layer.update(Profile.self, id: 1) { $0.name = "Le Guin" }
            layer.remove(Profile.self, id: 2)
            layer.set(Profile(id: 3, name: "Draft"))
            layer.list("all", of: Profile.self).append(3)
        }
        let graph = try await attached(to: cache)
        try await graph.flush()
        let reader = Cache()
        _ = try await attached(to: reader)
        #expect(Set(reader.values(of: Profile.self).map(\.name)) == ["Ursula", "Joanna"])
        #expect(reader.list("all", of: Profile.self).ids == [1])
        layer.rollBack()
    }

    @Test func rowsAreRestoredBeneathOpenLayers() async throws {
        do {
            let cache = Cache()
            let graph = try await attached(to: cache)
            cache.set(contentsOf: [Profile(id: 1, name: "Ursula"), Profile(id: 2, name: "Joanna")])
            cache.list("all", of: Profile.self).ids = [1]
            try await graph.detach()
        }
        let cache = Cache()
        let layer = cache.beginLayer("Edit") { layer in
            layer.update(Profile.self, id: 1) { $0.name = "Le Guin" }
            layer.remove(Profile.self, id: 2)
            layer.list("all", of: Profile.self).append(3)
        }
        let graph = try await attached(to: cache)
        #expect(cache.values(of: Profile.self) == [Profile(id: 1, name: "Le Guin")])
        #expect(cache.list("all", of: Profile.self).ids == [1, 3])
        layer.rollBack()
        #expect(Set(cache.values(of: Profile.self).map(\.name)) == ["Ursula", "Joanna"])
        #expect(cache.list("all", of: Profile.self).ids == [1])
        try await graph.flush()
        #expect(try folder.run("SELECT id FROM profile ORDER BY id") == ["1", "2"])
    }

    // MARK: Imports

    @Test(arguments: [false, true])
    func anImportIsMergedWithTheConfirmedValue(isHidden: Bool) async throws {
        let file = try await SharedFile()
        let (first, second) = (file.first.cache, file.second.cache)
        second.set(Profile(id: 1, name: "Ursula"), modifiedAt: 1)
        try await file.second.graph.flush()
        try await file.first.graph.flush()
        let layer = second.beginLayer("Edit") { layer in
            if isHidden {
                layer.remove(Profile.self, id: 1)
            } else {
                layer.update(Profile.self, id: 1) { $0.email = "draft" }
            }
        }
        first.set(Profile(id: 1, name: "Le Guin"), modifiedAt: 3)
        try await file.first.graph.flush()
        // The import finds an older change that isn't written yet.
        second.set(Profile(id: 1, name: "Ursula K."), modifiedAt: 2)
        try await file.second.graph.flush()
        #expect(second.confirmed[Profile.self, 1] == Profile(id: 1, name: "Le Guin"))
        layer.rollBack()
        #expect(second[Profile.self, 1] == Profile(id: 1, name: "Le Guin"))
    }

    @Test func anImportedRemovalOfAllRemovesHiddenEntities() async throws {
        let file = try await SharedFile()
        let (first, second) = (file.first.cache, file.second.cache)
        first.set(contentsOf: [Book(id: 1, title: "a"), Book(id: 2, title: "a")])
        try await file.synchronize()
        let layer = second.beginLayer("Edit") { layer in
            layer.remove(Book.self, id: 1)
            layer.update(Book.self, id: 2) { $0.title = "b" }
            layer.set(Book(id: 3, title: "draft"))
        }
        first.removeAll(Book.self)
        try await file.synchronize()
        #expect(second.confirmed.count(of: Book.self) == 0)
        #expect(second.ids(of: Book.self) == [3])
        layer.rollBack()
        #expect(second.count(of: Book.self) == 0)
    }

    @Test func importsBeneathLayersCallObserversOnlyIfVisibleValuesChange() async throws {
        let file = try await SharedFile()
        let (first, second) = (file.first.cache, file.second.cache)
        first.set(contentsOf: (1...3).map { Book(id: $0, title: "a") })
        try await file.synchronize()
        let layer = second.beginLayer("Edit") { layer in
            layer.update(Book.self, id: 1) { $0.title = "draft" }
            layer.set(Book(id: 2, title: "draft"))
            layer.remove(Book.self, id: 3)
        }
        let changed = Recorder<Int>()
        let token = second.observeAll(Book.self) { commit in
            for change in commit.changes { changed.append(change.id) }
        }
        first.set(contentsOf: (1...3).map { Book(id: $0, title: "b") })
        try await file.synchronize()
        #expect(changed.all.isEmpty)
        #expect((1...3).map { second.confirmed[Book.self, $0]?.title } == ["b", "b", "b"])
        for id in 1...3 { first.remove(Book.self, id: id) }
        try await file.synchronize()
        #expect(changed.all == [1])
        #expect(second.ids(of: Book.self) == [2])
        token.dispose()
        try layer.confirm()
        try await file.second.graph.flush()
        try await file.first.graph.flush()
        #expect(first.values(of: Book.self) == [Book(id: 2, title: "draft")])
    }

    // MARK: Random operations

    @Test(arguments: RandomTestSettings(seeds: 20).seeds)
    func theFileIsTheConfirmedState(seed: Seed) async throws {
        var random = SplitMix64(seed: seed)
        var cache = Cache()
        var graph = try await attached(to: cache)
        /// A cache with the same confirmed writes, and without layers.
        let plain = Cache()
        var layers: [(layer: OpenLayer, confirm: (Cache) -> Void)] = []
        func profile() -> Profile {
            Profile(
                id: random.below(4),
                name: random.below(2) == 0 ? nil : "\(random.below(100))",
                email: random.below(2) == 0 ? nil : "\(random.below(100))"
            )
        }
        for step in 0..<80 {
            switch random.below(9) {
            case 0, 1:
                let (value, id, name) = (profile(), random.below(4), "\(random.below(100))")
                let kind = random.below(4)
                let layer = cache.beginLayer("\(step)") { layer in
                    switch kind {
                    case 0: layer.set(value)
                    case 1: layer.update(Profile.self, id: id) { $0.name = name }
                    case 2: layer.remove(Profile.self, id: id)
                    default: layer.list("all", of: Profile.self).append(id)
                    }
                }
                // Layers end in their order, so that none holds the operations of a later one.
                layers.append(
                    (
                        layer,
                        { cache in
                            switch kind {
                            case 0: cache.set(value)
                            case 1: cache.update(Profile.self, id: id) { $0.name = name }
                            case 2: cache.remove(Profile.self, id: id)
                            default: cache.list("all", of: Profile.self).update { $0.append(id) }
                            }
                        }
                    )
                )
            case 2 where !layers.isEmpty:
                let (layer, confirm) = layers.removeFirst()
                try layer.confirm()
                confirm(plain)
            case 3 where !layers.isEmpty:
                layers.remove(at: random.below(layers.count)).layer.rollBack()
            case 4: try await graph.flush()
            case 5 where random.below(3) == 0:
                try await graph.detach()
                layers = []
                cache = Cache()
                graph = try await attached(to: cache)
                try await graph.load(Profile.self)
            case 6:
                let id = random.below(4)
                cache.remove(Profile.self, id: id)
                plain.remove(Profile.self, id: id)
            case 7:
                let ids = (0..<random.below(3)).map { _ in random.below(4) }
                cache.list("all", of: Profile.self).replace(withIDs: ids)
                plain.list("all", of: Profile.self).replace(withIDs: ids)
            default:
                let value = profile()
                cache.set(value)
                plain.set(value)
            }
            let place = "\(seed), step \(step)"
            for id in 0..<4 {
                #expect(cache.confirmed[Profile.self, id] == plain[Profile.self, id], "\(place)")
            }
            try await graph.flush()
            let reader = Cache()
            let second = try await attached(to: reader)
            for id in 0..<4 {
                #expect(reader[Profile.self, id] == plain[Profile.self, id], "\(place)")
            }
            let list = reader.list("all", of: Profile.self)
            #expect(list.ids == plain.list("all", of: Profile.self).ids, "\(place)")
            try await second.detach()
        }
    }
}
