import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Random writes and layers, compared with a naive reference.
struct LayerModelTests {
    struct Document: Identifiable, Equatable, Mergeable, Sendable {
        let id: Int
        var first: Int?
        var second: Int?

        func merged(with newer: Document) -> Document {
            Document(id: id, first: newer.first ?? first, second: newer.second ?? second)
        }
    }

    typealias Documents = LayeredModel<Int, Document>
    typealias Lists = LayeredModel<String, [Int]>

    struct Refusal: Error {}

    @Test(arguments: RandomTestSettings(seeds: 60).seeds)
    func visibleValuesAreConfirmedValuesWithOperations(seed: Seed) async throws {
        var test = LayerTest(seed: seed)
        for step in 0..<150 {
            test.place = "\(seed), step \(step)"
            try await test.step()
            test.check()
        }
        test.rollBackAll()
        #expect(test.cache.count(of: ConfirmedState.self) == 0, "\(seed)")
        #expect(test.cache.pendingLayers.elements.isEmpty, "\(seed)")
    }
}
