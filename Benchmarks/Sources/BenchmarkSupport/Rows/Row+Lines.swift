import FlatCache
import FlatCacheFoundation
import Foundation

extension Row {
    /// Rows that ingest line-delimited JSON, and decode it line by line into plain structures.
    static let lineRows = [
        Row(
            "27a",
            "ingest of 100,000 lines in chunks of 64 KB, per line",
            against: plainLines,
            target: 1.11
        ) { contest($0, .identifiers, of: PlainCatalog.Book.self) },
        Row("27b", "ingest of 100,000 lines with embedded authors", against: plainLines) {
            contest($0, .embedded, of: PlainCatalog.NestedBook.self)
        },
        Row(
            "27c",
            "extra memory of an ingest of 100,000 lines",
            against: "two chunks of 64 KB",
            unit: .bytes
        ) { scale in
            let count = scale(100_000)
            return Contest {
                Double(2 * LineMemory.chunkSize)
            } subject: {
                // At least one byte, so that the row has a result.
                max(1, MemoryQuestion.lines.ask(entities: count))
            }
        },
    ]

    private static let plainLines = "JSONDecoder, the same lines into plain structs"

    private static func contest(
        _ scale: Scale,
        _ authors: Catalog.Authors,
        of type: (some Decodable).Type
    ) -> Contest {
        let count = scale(100_000)
        let text = Array(Catalog.lines(books: count, authors: authors))
        let lines = text.split(separator: UInt8(ascii: "\n")).map { Data($0) }
        let decoder = JSONDecoder()
        return Contest(bothSides: {
            Turns.round(2) { _ in
                try Stopwatch.time {
                    for line in lines { _ = try decoder.decode(type, from: line) }
                }
                .nanoseconds
            } timeOfSubject: { _ in
                timeOfIngest(text, count, decoder)
            }
            .divided(by: count)
        })
    }

    /// Returns the time of an ingest into a new cache, in nanoseconds.
    private static func timeOfIngest(
        _ text: [UInt8],
        _ count: Int,
        _ decoder: JSONDecoder
    ) -> Double {
        let cache = Cache()
        let arrivals = Arrivals()
        let time = Stopwatch.time {
            arrivals.wait(for: 1) {
                Task {
                    let lines = JSONLines(
                        of: Catalog.Book.self,
                        chunks: Chunks(bytes: text, size: 65_536),
                        decoder: decoder
                    )
                    do {
                        try await cache.ingest(contentsOf: lines)
                    } catch {
                        Failures.note(error)
                    }
                    arrivals.add()
                }
            }
        }
        precondition(cache.count(of: Catalog.Book.self) == count)
        return time.nanoseconds
    }
}

/// The parts of a text, as a download would supply them.
private struct Chunks: AsyncSequence {
    struct Iterator: AsyncIteratorProtocol {
        var rest: ArraySlice<UInt8>
        let size: Int

        mutating func next() async -> ArraySlice<UInt8>? { takeNext() }

        mutating func next(
            isolation actor: isolated (any Actor)?
        ) async -> ArraySlice<UInt8>? {
            takeNext()
        }

        private mutating func takeNext() -> ArraySlice<UInt8>? {
            defer { rest = rest.dropFirst(size) }
            return rest.isEmpty ? nil : rest.prefix(size)
        }
    }

    let bytes: [UInt8]
    let size: Int

    func makeAsyncIterator() -> Iterator { Iterator(rest: bytes[...], size: size) }
}
