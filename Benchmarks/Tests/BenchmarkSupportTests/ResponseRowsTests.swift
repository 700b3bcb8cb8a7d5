import FlatCache
import Foundation
import Testing

@testable import BenchmarkSupport

struct ResponseRowsTests {
    @Test(
        .timeLimit(.minutes(2)),
        arguments: Row.all.filter { (25...27).contains($0.number) }.map(\.name)
    )
    func rowHasAResult(name: String) async throws {
        let row = try #require(Row.all.first { $0.name == name })
        // A row may wait for a task, which needs a thread of the pool that runs this test.
        let measured = await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: row.measure(rounds: 1, scale: .quick)) }.start()
        }
        let result = try #require(measured)
        #expect(result.baseline.median > 0 && result.subject.median > 0)
    }

    @Test(arguments: [Catalog.Authors.identifiers, .embedded])
    func plainStructuresDecodeWhatAnIngestStores(authors: Catalog.Authors) throws {
        let json = Catalog.json(books: 10, authors: authors)
        let books = try JSONDecoder().decode(Catalog.Page.self, from: json).items.map(\.id)
        #expect(books == Array(0..<10))
        let plain =
            switch authors {
            case .identifiers:
                try JSONDecoder().decode(PlainCatalog.Page.self, from: json).items.map(\.author)
            case .embedded:
                try JSONDecoder().decode(PlainCatalog.NestedPage.self, from: json).items
                    .map(\.author.id)
            }
        #expect(plain == [0, 1, 0, 1, 0, 1, 0, 1, 0, 1])
    }

    @Test func fieldsOfAPartialNovelMergeAsOptionalsDo() {
        let known = KnownNovel(7, part: 0).merged(with: KnownNovel(8, part: 1))
        let plain = OptionalNovel(7, part: 0).merged(with: OptionalNovel(8, part: 1))
        #expect(known.title == plain.title && known.subtitle == plain.subtitle)
        #expect(known.year == plain.year && known.pages == plain.pages)
        #expect(known.rating == plain.rating && known.price == plain.price)
    }
}
