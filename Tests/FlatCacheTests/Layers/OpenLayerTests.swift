import FlatCacheTesting
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests of layers as an app uses them.
struct OpenLayerTests {
    private let cache = Cache()

    private struct Refusal: Error, Equatable {}

    @Test func sixQuickEditsKeepTheirOrder() async throws {
        cache.set(Book(id: 1, title: "0"))
        let shown = Recorder<String>()
        let observation = cache.cached(Book.self, id: 1).observe { shown.append($0.title ?? "") }
        let layers = (1...6).map { number in
            cache.beginLayer("\(number)") { $0.update(Book.self, id: 1) { $0.title = "\(number)" } }
        }
        // The responses arrive in the opposite order, each followed by a poll.
        for (index, layer) in layers.enumerated().reversed() {
            try await layer.confirm {
                Ingestion.current?.collect(Book(id: 1, title: "\(index + 1)"))
            }
            // The server has received all six edits, in their order.
            cache.set(Book(id: 1, title: "6"))
        }
        #expect(shown.all == ["1", "2", "3", "4", "5", "6"])
        #expect(cache.confirmed[Book.self, 1]?.title == "6")
        observation.dispose()
    }

    @Test(arguments: [0, 1, 2], [false, true])
    func earlierEditOfAnotherPropertySurvivesLaterResponse(kind: Int, polls: Bool) async throws {
        cache.set(Book(id: 1, title: "Old", year: 1))
        let first = cache.beginLayer("1") { $0.update(Book.self, id: 1) { $0.title = "New" } }
        let second = cache.beginLayer("2") { $0.update(Book.self, id: 1) { $0.year = 2 } }
        try await second.confirm {
            switch kind {
            case 0: Ingestion.current?.collect(Book(id: 1, title: "Old", year: 2))
            case 1: Ingestion.current?.collect(Book(id: 1, year: 2))
            default: break
            }
        }
        if polls { cache.set(Book(id: 1, title: "Old", year: 2)) }
        #expect(cache[Book.self, 1] == Book(id: 1, title: "New", year: 2))
        #expect(cache.confirmed[Book.self, 1] == Book(id: 1, title: "Old", year: 2))
        try first.confirm()
        #expect(cache[Book.self, 1] == Book(id: 1, title: "New", year: 2))
        #expect(cache.confirmed[Book.self, 1] == Book(id: 1, title: "New", year: 2))
    }

    @Test func rollBackOfTheMiddleOfThreeEditsRemovesThatEditAlone() {
        cache.set(Book(id: 1, title: "a", year: 1))
        let layers = [
            cache.beginLayer("1") { $0.update(Book.self, id: 1) { $0.title = "b" } },
            cache.beginLayer("2") { $0.update(Book.self, id: 1) { $0.year = 2 } },
            cache.beginLayer("3") { $0.update(Book.self, id: 1) { $0.sequel = Related(2) } },
        ]
        layers[1].rollBack()
        #expect(cache[Book.self, 1] == Book(id: 1, title: "b", year: 1, sequel: 2))
        layers[2].rollBack()
        layers[0].rollBack()
        #expect(cache[Book.self, 1] == Book(id: 1, title: "a", year: 1))
    }

    @Test func refusedEditIsRolledBackAndItsErrorThrown() async {
        cache.set(Book(id: 1, title: "a"))
        await #expect(throws: Refusal.self) {
            try await cache.optimistically("Rename") { layer in
                layer.update(Book.self, id: 1) { $0.title = "b" }
            } confirm: {
                #expect(cache[Book.self, 1]?.title == "b")
                throw Refusal()
            }
        }
        #expect(cache[Book.self, 1]?.title == "a")
        #expect(cache.pendingLayers.elements.isEmpty)
    }

    @Test func errorOfApplyRollsTheEditBackAndStoresNothing() async {
        cache.set(Book(id: 1, title: "a"))
        await #expect(throws: Refusal.self) {
            try await cache.optimistically("Rename") { layer in
                layer.update(Book.self, id: 1) { $0.title = "b" }
            } confirm: {
                Ingestion.current?.collect(Book(id: 2, title: "c"))
            } apply: { _, _ in
                throw Refusal()
            }
        }
        #expect(cache[Book.self, 1]?.title == "a")
        #expect(cache[Book.self, 2] == nil)
    }

    @Test func responseAndLayerAreOneCommit() async throws {
        cache.set(Book(id: 1, title: "a"))
        let layer = cache.beginLayer("1") { $0.update(Book.self, id: 1) { $0.title = "b" } }
        let version = cache.version
        let states = Recorder<String>()
        let token = cache.observeAll(Book.self) { _ in
            states.append(cache[Book.self, 1]?.title ?? "")
        }
        try await layer.confirm {
            Ingestion.current?.collect(Book(id: 1, title: "from the server"))
        } apply: { batch, _ in
            batch.set(Book(id: 2, title: "another"))
        }
        #expect(cache.version == version + 1)
        #expect(states.all == ["from the server"])
        token.dispose()
    }

    @Test func responseDoesNotStoreEntitiesThatTheLayerRemoves() async throws {
        cache.set(Book(id: 1, title: "a"))
        let layer = cache.beginLayer("Delete") { $0.remove(Book.self, id: 1) }
        try await layer.confirm {
            Ingestion.current?.collect(Book(id: 1, title: "a"))
            Ingestion.current?.collect(Book(id: 2, title: "b"))
        }
        #expect(cache[Book.self, 1] == nil)
        #expect(cache[Book.self, 2] != nil)
    }

    @Test func removeAllEndsTheLayers() async {
        cache.set(Book(id: 1, title: "a"))
        let (starts, started) = AsyncStream<Void>.makeStream()
        let (stream, answer) = AsyncStream<Void>.makeStream()
        let call = Task { [cache] in
            try await cache.optimistically("Rename") { layer in
                layer.update(Book.self, id: 1) { $0.title = "b" }
                layer.set(Book(id: 3, title: "only here"))
            } confirm: {
                started.yield()
                for await _ in stream { break }
                Ingestion.current?.collect(Book(id: 2, title: "c"))
            }
        }
        for await _ in starts { break }
        // The number doesn't include the entity that only the layer has.
        #expect(cache.removeAll() == 1)
        answer.yield()
        await #expect(throws: LayerError.ended(label: "Rename")) { try await call.value }
        #expect(cache.count(of: Book.self) == 0)
    }

    @Test func cancelledClosureThatThrowsRollsTheLayerBack() async {
        cache.set(Book(id: 1, title: "a"))
        let (starts, started) = AsyncStream<Void>.makeStream()
        let call = Task { [cache] in
            try await cache.optimistically("Rename") { layer in
                layer.update(Book.self, id: 1) { $0.title = "b" }
            } confirm: {
                started.yield()
                let (stream, _) = AsyncStream<Void>.makeStream()
                for await _ in stream {}
                try Task.checkCancellation()
            }
        }
        for await _ in starts { break }
        #expect(cache[Book.self, 1]?.title == "b")
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(cache[Book.self, 1]?.title == "a")
    }

    @Test func releasedLayerIsRolledBackAndReported() async {
        let reports = Recorder<CacheDiagnostic>()
        var configuration = CacheConfiguration()
        configuration.onDiagnostic = { reports.append($0) }
        let cache = Cache(configuration: configuration)
        cache.set(Book(id: 1, title: "a"))
        do {
            let layer = cache.beginLayer("Draft") { layer in
                layer.update(Book.self, id: 1) { $0.title = "b" }
            }
            #expect(cache[Book.self, 1]?.title == "b")
            withExtendedLifetime(layer) {}
        }
        #expect(cache[Book.self, 1]?.title == "a")
        // Another thread may deliver the report.
        #expect(await until { reports.all.count == 1 })
        #expect(reports.all.first?.message.contains("\"Draft\"") == true)
        // A layer that has ended is released without a report.
        cache.beginLayer("Draft") { $0.remove(Book.self, id: 1) }.rollBack()
        #expect(reports.all.count == 1)
    }

    @Test func layerReleasedInABatchIsRolledBackAfterIt() {
        cache.set(Book(id: 1, title: "a"))
        var layer: OpenLayer? = cache.beginLayer("Draft") { layer in
            layer.update(Book.self, id: 1) { $0.title = "b" }
        }
        cache.performBatchUpdates { batch in
            batch.set(Book(id: 2, title: "c"))
            layer = nil
            #expect(batch[Book.self, 1]?.title == "b")
        }
        #expect(cache[Book.self, 1]?.title == "a")
        _ = layer
    }

    @Test func changeAddsEditsBeneathLaterLayers() throws {
        cache.set(Book(id: 1, title: "a"))
        let first = cache.beginLayer("1") { $0.update(Book.self, id: 1) { $0.year = 1 } }
        let second = cache.beginLayer("2") { $0.update(Book.self, id: 1) { $0.title = "second" } }
        try first.change { $0.update(Book.self, id: 1) { $0.title = "first" } }
        #expect(cache[Book.self, 1]?.title == "second")
        second.rollBack()
        #expect(cache[Book.self, 1]?.title == "first")
        first.rollBack()
    }

    @Test func replaceReplacesTheEditsOfALayer() throws {
        cache.set(Book(id: 1, title: "a", year: 1))
        let draft = cache.beginLayer("Draft") { layer in
            layer.update(Book.self, id: 1) { $0.year = 2 }
        }
        try draft.replace { $0.update(Book.self, id: 1) { $0.title = "b" } }
        #expect(cache[Book.self, 1] == Book(id: 1, title: "b", year: 1))
        #expect(cache.pendingLayers.elements.map(\.keys) == [[CacheKey(Book.self, id: 1)]])
        try draft.confirm()
        #expect(cache.confirmed[Book.self, 1] == Book(id: 1, title: "b", year: 1))
    }

    @Test func endedLayerThrows() throws {
        let layer = cache.beginLayer("Draft") { $0.set(Book(id: 1)) }
        try layer.confirm()
        #expect(throws: LayerError.ended(label: "Draft")) { try layer.confirm() }
        #expect(throws: LayerError.ended(label: "Draft")) { try layer.change { _ in } }
        #expect(throws: LayerError.ended(label: "Draft")) { try layer.replace { _ in } }
        layer.rollBack()
        #expect(!layer.isOpen)
        #expect(cache[Book.self, 1] != nil)
    }

    @Test func temporaryIdentifiersAreReplacedEverywhere() async throws {
        let layer = cache.beginLayer("Add") { layer in
            layer.set(Book(id: -1, title: "New"))
            layer.list("all", of: Book.self).append(-1)
            layer.setAlias("latest", of: Book.self, to: -1)
        }
        let other = cache.beginLayer("Rename") { layer in
            layer.update(Book.self, id: -1) { $0.year = 7 }
            layer.list("marked", of: Book.self).append(-1)
            layer.setAlias("mark", of: Book.self, to: -1)
        }
        try await layer.confirm {
            Ingestion.current?.collect(Book(id: 5, title: "New"))
        } apply: { batch, _ in
            batch.replaceIdentifier(of: Book.self, from: -1, to: 5)
        }
        #expect(cache[Book.self, -1] == nil)
        #expect(cache[Book.self, 5] == Book(id: 5, title: "New", year: 7))
        #expect(cache.list("all", of: Book.self).ids == [5])
        #expect(cache.list("marked", of: Book.self).ids == [5])
        #expect(cache.alias("latest", of: Book.self).target == 5)
        #expect(cache.alias("mark", of: Book.self).target == 5)
        other.rollBack()
        #expect(cache[Book.self, 5] == Book(id: 5, title: "New"))
        #expect(cache.alias("latest", of: Book.self).target == 5)
        #expect(cache.alias("mark", of: Book.self).target == nil)
        #expect(cache.list("marked", of: Book.self).ids.isEmpty)
    }

    @Test func confirmedAliasWithoutTargetRemainsWithoutTarget() throws {
        cache.alias("latest", of: Book.self).target = 1
        let layer = cache.beginLayer("Close") { $0.setAlias("latest", of: Book.self, to: nil) }
        #expect(cache.alias("latest", of: Book.self).target == nil)
        try layer.confirm()
        #expect(cache.alias("latest", of: Book.self).target == nil)
    }

    @Test func heldEditOfTemporaryEntityIsSettledWithTheIdentifier() async throws {
        let first = cache.beginLayer("Add") { $0.set(Book(id: -1, title: "New")) }
        let second = cache.beginLayer("Year") { $0.update(Book.self, id: -1) { $0.year = 7 } }
        try second.confirm()
        #expect(cache.pendingLayers.elements.map(\.keys) == [[CacheKey(Book.self, id: -1)]])
        try await first.confirm {
            Ingestion.current?.collect(Book(id: 5, title: "New"))
        } apply: { batch, _ in
            batch.replaceIdentifier(of: Book.self, from: -1, to: 5)
        }
        #expect(cache.confirmed[Book.self, 5] == Book(id: 5, title: "New", year: 7))
        cache.set(Book(id: 5, year: 8))
        #expect(cache[Book.self, 5]?.year == 8)
        #expect(!cache.cached(Book.self, id: 5).isPending)
    }

    @Test func pendingLayersNameTheNewIdentifier() {
        let layer = cache.beginLayer("Year") { $0.update(Book.self, id: -1) { $0.year = 7 } }
        cache.performBatchUpdates { $0.replaceIdentifier(of: Book.self, from: -1, to: 5) }
        #expect(cache.pendingLayers.elements.map(\.keys) == [[CacheKey(Book.self, id: 5)]])
        cache.set(Book(id: 5))
        #expect(cache[Book.self, 5]?.year == 7)
        layer.rollBack()
        #expect(cache[Book.self, 5]?.year == nil)
    }

    @Test func confirmedListsNameTheNewIdentifier() {
        cache.list("all", of: Book.self).ids = [1, -1]
        cache.performBatchUpdates { $0.replaceIdentifier(of: Book.self, from: -1, to: 5) }
        #expect(cache.list("all", of: Book.self).ids == [1, 5])
    }

    @Test func replacedEditsRemainBeneathConfirmedLaterEdits() throws {
        cache.set(Book(id: 1, title: "0"))
        let first = cache.beginLayer("1") { $0.update(Book.self, id: 1) { $0.title = "1" } }
        let second = cache.beginLayer("2") { $0.update(Book.self, id: 1) { $0.title = "2" } }
        try second.confirm()
        try first.replace { $0.update(Book.self, id: 1) { $0.title = "3" } }
        #expect(cache[Book.self, 1]?.title == "2")
        try first.replace { $0.update(Book.self, id: 9) { $0.title = "3" } }
        #expect(cache.confirmed[Book.self, 1]?.title == "2")
        #expect(!cache.cached(Book.self, id: 1).isPending)
        first.rollBack()
    }

    @Test func layerCannotBeChangedWhileItsResponseIsStored() async throws {
        cache.set(Book(id: 1, title: "a"))
        let layer = cache.beginLayer("1") { $0.update(Book.self, id: 1) { $0.title = "b" } }
        try await layer.confirm {
        } apply: { _, _ in
            #expect(throws: LayerError.ended(label: "1")) {
                try layer.change { $0.update(Book.self, id: 1) { $0.title = "c" } }
            }
            layer.rollBack()
        }
        #expect(cache.confirmed[Book.self, 1]?.title == "b")
        #expect(!cache.cached(Book.self, id: 1).isPending)
        let second = cache.beginLayer("2") { _ in }
        try second.change { layer in
            second.rollBack()
            layer.set(Book(id: 2))
        }
        #expect(cache[Book.self, 2] == nil)
    }

    @Test func confirmationRemovesEntitiesThatAHiddenEntityOwns() throws {
        cache.set(Shelf(id: 1, books: [1, 2]))
        cache.set(contentsOf: [Book(id: 1), Book(id: 2)])
        let layer = cache.beginLayer("Delete") { $0.remove(Shelf.self, id: 1) }
        #expect(cache[Shelf.self, 1] == nil)
        #expect(cache.count(of: Book.self) == 2)
        try layer.confirm()
        #expect(cache.count(of: Book.self) == 0)
    }

    @Test func inPlaceChangesStartFromTheConfirmedState() {
        cache.set(Book(id: 1, title: "a", year: 1))
        cache.list("all", of: Book.self).ids = [1]
        let layer = cache.beginLayer("1") { layer in
            layer.update(Book.self, id: 1) { $0.title = "b" }
            layer.list("all", of: Book.self).append(2)
        }
        cache.cached(Book.self, id: 1).value?.year = 2
        cache.list("all", of: Book.self).ids.append(3)
        #expect(cache[Book.self, 1] == Book(id: 1, title: "b", year: 2))
        #expect(cache.list("all", of: Book.self).ids == [1, 3, 2])
        layer.rollBack()
        #expect(cache[Book.self, 1] == Book(id: 1, title: "a", year: 2))
        #expect(cache.list("all", of: Book.self).ids == [1, 3])
    }

    @Test func layerOfADeallocatedCacheHasEnded() throws {
        var cache: Cache? = Cache()
        let core = cache?.core
        cache?.set(Book(id: 1, title: "a"))
        let layer = try #require(
            cache?.beginLayer("1") { layer in
                layer.update(Book.self, id: 1) { $0.title = "b" }
                layer.set(Book(id: 2))
            }
        )
        cache = nil
        #expect(throws: LayerError.ended(label: "1")) { try layer.confirm() }
        #expect(throws: LayerError.ended(label: "1")) { try layer.change { _ in } }
        layer.rollBack()
        #expect(core?.get(Book.self, id: 2) == nil)
    }

    @Test func descriptionsDoNotShowTheStatesOfLayers() {
        cache.set(Book(id: 1))
        let layer = cache.beginLayer("1") { $0.update(Book.self, id: 1) { $0.title = "b" } }
        #expect("\(cache)" == "Cache (version: 2, observers: 0, Book: 1)")
        layer.rollBack()
    }
}

private struct Shelf: Identifiable, Equatable, OwnsCachedValues, Sendable {
    let id: Int
    var books: [Int]

    var ownedCacheKeys: Set<CacheKey> { Set(books.map { CacheKey(Book.self, id: $0) }) }
}
