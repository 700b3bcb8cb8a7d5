import FlatCacheTesting
import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests nested values that don't meet the requirement of a loader or of an observed handle.
@Suite(.timeLimit(.minutes(15)))
struct ShortFormsTests {
    /// A product that a server nests without its price, and that isn't `Mergeable`.
    struct Product: CacheEntity, Decodable, Equatable {
        let id: Int
        var name: String
        var price: Int?
        var similar: [Related<Product>]?
    }

    struct MergeableProduct: CacheEntity, Mergeable, Decodable, Equatable {
        let id: Int
        var name: String
        var price: Int?

        func merged(with new: Self) -> Self {
            Self(id: id, name: new.name, price: new.price ?? price)
        }
    }

    struct Order<Item: CacheEntity & Decodable>: CacheEntity, Decodable
    where Item.ID: Decodable {
        let id: Int
        var item: Related<Item>
    }

    private let clock = ManualClock()
    private let diagnostics = Recorder<CacheKey>()
    private let cache: Cache
    private static let isWhole: @Sendable (Product) -> Bool = { $0.price != nil }

    init() {
        var configuration = CacheConfiguration(clock: clock)
        configuration.onDiagnostic = { [diagnostics] in diagnostics.append($0.key) }
        cache = Cache(configuration: configuration)
    }

    private let whole = Product(id: 1, name: "Lamp", price: 5)
    private let short = Product(id: 1, name: "Desk lamp")
    private let nested = #"{"id": 1, "name": "Desk lamp"}"#

    /// An order that contains the short form.
    private var order: String { #"{"id": 7, "item": \#(nested)}"# }

    private func requireWholeProducts() {
        cache.setLoader(for: Product.self, requiring: Self.isWhole) { _ in [] }
    }

    // MARK: Values that remain

    @Test func nestedShortFormReplacesNoWholeValue() throws {
        requireWholeProducts()
        cache.set(whole)
        try cache.ingest { try decoded(Order<Product>.self, order) }
        #expect(cache[Product.self, 1] == whole)
        #expect(cache[Order<Product>.self, 7]?.item == Related(1))
        #expect(diagnostics.all == [CacheKey(Product.self, id: 1)])
    }

    @Test func onlyTheFirstShortFormOfATypeIsReported() throws {
        requireWholeProducts()
        cache.set(whole)
        for _ in 0..<3 { try cache.ingest { try decoded(Order<Product>.self, order) } }
        #expect(diagnostics.count == 1)
    }

    @Test func handleRequiresWholeValuesOfItsEntityWhileItIsObserved() throws {
        cache.setLoader(for: Product.self) { _ in [] }
        cache.set(whole)
        let handle = cache.cached(Product.self, id: 1).loading(requiring: Self.isWhole)
        try cache.ingest { try decoded(Order<Product>.self, order) }
        #expect(cache[Product.self, 1] == short)
        cache.set(whole)
        let token = handle.observe { _ in }
        cache.set(Product(id: 2, name: "Desk", price: 8))
        try cache.ingest { try decoded(Order<Product>.self, order) }
        try cache.ingest {
            try decoded(Order<Product>.self, #"{"id": 8, "item": {"id": 2, "name": "Table"}}"#)
        }
        #expect(cache[Product.self, 1] == whole)
        #expect(cache[Product.self, 2]?.price == nil)
        token.dispose()
        try cache.ingest { try decoded(Order<Product>.self, order) }
        #expect(cache[Product.self, 1] == short)
    }

    @Test(
        "A whole value is kept in each kind of scope",
        arguments: ["result", "list", "stamp", "inner", "batch", "wholeInResponse", "reference"]
    )
    func scopes(kind: String) throws {
        requireWholeProducts()
        if kind != "wholeInResponse" { cache.set(whole) }
        switch kind {
        case "result":
            // The product is nested in a product, whose short form it contains itself.
            let text = #"{"id": 2, "name": "Desk", "price": 8, "similar": [\#(nested)]}"#
            try cache.ingest { try decoded(Product.self, text) }
            #expect(cache[Product.self, 2]?.price == 8)
        case "list":
            try cache.ingest { try decoded([Related<Product>].self, "[\(nested)]") }
        case "stamp":
            try cache.ingest(modifiedAt: 1) { try decoded(Order<Product>.self, order) }
        case "inner":
            try cache.ingest {
                try cache.ingest(modifiedAt: 1) { try decoded(Order<Product>.self, order) }
                try cache.ingest { try decoded(Order<Product>.self, order) }
            }
        case "batch":
            try cache.performBatchUpdates { _ in
                try cache.ingest { try decoded(Order<Product>.self, order) }
            }
        case "wholeInResponse":
            let full = #"{"id": 1, "name": "Lamp", "price": 5}"#
            try cache.ingest {
                try decoded([Related<Product>].self, "[\(full), \(nested)]")
            }
        default:
            try cache.ingest { try decoded(Related<Product>.self, nested) }
        }
        #expect(cache[Product.self, 1] == whole)
        #expect(diagnostics.count == 1)
    }

    @Test func mergedValueIsStoredIfItRemainsWhole() throws {
        cache.setLoader(for: MergeableProduct.self, requiring: { $0.price != nil }) { _ in [] }
        cache.set(MergeableProduct(id: 1, name: "Lamp", price: 5))
        try cache.ingest { try decoded(Order<MergeableProduct>.self, order) }
        #expect(cache[MergeableProduct.self, 1]?.name == "Desk lamp")
        #expect(cache[MergeableProduct.self, 1]?.price == 5)
        #expect(diagnostics.count == 0)
    }

    @Test func keptValueKeepsItsFreshness() throws {
        requireWholeProducts()
        cache.set(whole)
        cache.invalidate(Product.self, id: 1)
        try cache.ingest { try decoded(Order<Product>.self, order) }
        #expect(cache.freshness(of: Product.self, id: 1).isStale)
    }

    // MARK: Values that are replaced

    @Test func shortFormIsStoredWithoutARequirementOrAWholeValue() throws {
        cache.set(whole)
        try cache.ingest { try decoded(Order<Product>.self, order) }
        #expect(cache[Product.self, 1] == short)
        requireWholeProducts()
        let other = #"{"id": 8, "item": {"id": 1, "name": "Reading lamp"}}"#
        try cache.ingest { try decoded(Order<Product>.self, other) }
        #expect(cache[Product.self, 1]?.name == "Reading lamp")
        #expect(diagnostics.count == 0)
    }

    @Test func resultsAndPlainWritesReplaceWholeValues() throws {
        requireWholeProducts()
        cache.set(whole)
        cache.set(short)
        #expect(cache[Product.self, 1] == short)
        cache.set(whole)
        try cache.ingest { try decoded(Product.self, nested) }
        #expect(cache[Product.self, 1] == short)
        cache.set(whole)
        try cache.ingest { Ingestion.current?.collect(try decoded(Product.self, nested)) }
        #expect(cache[Product.self, 1] == short)
    }

    @Test func nestedWholeValueReplacesAnother() throws {
        requireWholeProducts()
        cache.set(whole)
        try cache.ingest {
            try decoded(
                Order<Product>.self,
                #"{"id": 7, "item": {"id": 1, "name": "Desk lamp", "price": 6}}"#
            )
        }
        #expect(cache[Product.self, 1]?.price == 6)
    }

    // MARK: Loads that undo one another

    /// The number of calls after which a test's loader answers no more, so that the test ends even
    /// if the loads have no bound.
    private static let patience = 100

    // If the two requests overlap, the later answer's short form may be newer than the whole value
    // in the earlier answer. The whole value is then loaded again.
    @Test("Two entities whose answers nest each other's short form are loaded once or twice")
    func mutualShortForms() async {
        let calls = Recorder<Int>()
        cache.setLoader(for: Product.self, gathering: .zero, atMost: 1) { ids in
            calls.append(ids[0])
            guard calls.count < Self.patience else { return [] }
            let other = ids[0] == 1 ? 2 : 1
            let nested = #"{"id": \#(other), "name": "short"}"#
            let text = #"{"id": \#(ids[0]), "name": "whole", "price": 5, "similar": [\#(nested)]}"#
            return [try decoded(Product.self, text)]
        }
        let tokens = [1, 2].map {
            cache.cached(Product.self, id: $0).loading(requiring: Self.isWhole).observe { _ in }
        }
        #expect(
            await until {
                cache[Product.self, 1]?.price != nil && cache[Product.self, 2]?.price != nil
                    && cache.core.loads.isIdle
            }
        )
        #expect(Set(calls.all) == [1, 2])
        #expect(calls.count <= 3)
        for token in tokens { token.dispose() }
    }

    /// Observes handles whose loads undo one another, and checks that pauses follow soon.
    ///
    /// - Parameters:
    ///   - handles: The handles.
    ///   - calls: The calls of the loader.
    ///   - mayEnd: `true` if the loads may also end without a pause.
    private func expectPauses(
        _ handles: [Cached<Product>],
        _ calls: Recorder<Int>,
        mayEnd: Bool = false
    ) async {
        let tokens = handles.map { $0.observe { _ in } }
        let bound = 11 * handles.count
        let rests = { [clock, cache] in
            guard cache.core.loads.isIdle else { return false }
            if clock.sleeperCount > 0 { return true }
            return mayEnd && handles.allSatisfy { $0.loadState.name != "loading" }
        }
        #expect(await until(rests))
        #expect(calls.count <= bound)
        // From now on, each handle loads once a second at most.
        for second in 1...5 {
            clock.advance(by: .seconds(1))
            #expect(await until(rests))
            #expect(calls.count <= bound + handles.count * second)
        }
        for token in tokens { token.dispose() }
    }

    @Test("Two requirements of an entity that no answer meets together end in pauses")
    func conflictingRequirements() async {
        let calls = Recorder<Int>()
        cache.set(whole)
        cache.setLoader(for: Product.self, gathering: .zero) { [cache = Weak(cache)] _ in
            calls.append(1)
            guard calls.count < Self.patience else { throw CancellationError() }
            // The endpoints take turns.
            let stored = cache.object?[Product.self, 1]
            return [Product(id: 1, name: "Lamp", price: stored?.price == nil ? 5 : nil)]
        }
        let handle = cache.cached(Product.self, id: 1)
        // Two handles that share a call end: the one whose requirement the answer doesn't meet
        // loads no more.
        await expectPauses(
            [handle.loading { $0.price != nil }, handle.loading { $0.price == nil }],
            calls,
            mayEnd: true
        )
    }

    @Test("Loaders that invalidate each other's entities end in pauses", arguments: [2, 3])
    func mutualInvalidations(count: Int) async {
        let calls = Recorder<Int>()
        let cache = Weak(cache)
        self.cache.setLoader(for: Product.self, gathering: .zero, atMost: 1) { ids in
            calls.append(ids[0])
            guard calls.count < Self.patience else { throw CancellationError() }
            cache.object?.invalidate(Product.self, id: ids[0] % count + 1)
            return [Product(id: ids[0], name: "\(calls.count)", price: 1)]
        }
        await expectPauses(
            (1...count).map { self.cache.cached(Product.self, id: $0).loading() },
            calls
        )
    }

    @Test("Observers that invalidate each other's entities end in pauses")
    func mutualInvalidationsByObservers() async {
        let calls = Recorder<Int>()
        cache.setLoader(for: Product.self, gathering: .zero, atMost: 1) { ids in
            calls.append(ids[0])
            guard calls.count < Self.patience else { throw CancellationError() }
            return [Product(id: ids[0], name: "\(calls.count)", price: 1)]
        }
        let observers = [1, 2].map { id in
            cache.cached(Product.self, id: id).observeChanges { [cache = Weak(cache)] change in
                guard change.kind != .becameStale else { return }
                cache.object?.invalidate(Product.self, id: 3 - id)
            }
        }
        await expectPauses((1...2).map { cache.cached(Product.self, id: $0).loading() }, calls)
        for observer in observers { observer.dispose() }
    }
}
