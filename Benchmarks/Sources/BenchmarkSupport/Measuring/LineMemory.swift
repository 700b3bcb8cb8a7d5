import FlatCache
import FlatCacheFoundation
import Foundation
import Synchronization

/// The memory that an ingest of line-delimited JSON needs while it runs.
enum LineMemory {
    static let chunkSize = 65_536

    /// Returns the growth of the resident memory during an ingest of lines in chunks of 64 KB,
    /// which replace the same hundred books, or NaN if it isn't available.
    static func extraBytes(lines count: Int) -> Double {
        let cache = Cache()
        // The memory that the first commits and chunks allocate doesn't count.
        _ = peak(of: 2_000, cache)
        guard let before = ResidentMemory.bytes, let peak = peak(of: count, cache) else {
            return .nan
        }
        return Double(peak - before)
    }

    /// Ingests lines, and returns the largest resident memory after a commit.
    private static func peak(of count: Int, _ cache: Cache) -> Int? {
        let text = Array(Catalog.lines(books: 100, authors: .embedded))
        let lines = JSONLines(
            of: Catalog.Book.self,
            chunks: RepeatedText(text: text, count: count / 100)
        )
        let arrivals = Arrivals()
        let peak = Peak()
        arrivals.wait(for: 1) {
            Task {
                do {
                    try await cache.ingest(contentsOf: lines) { _ in
                        let bytes = ResidentMemory.bytes ?? 0
                        peak.bytes.withLock { $0 = max($0, bytes) }
                    }
                } catch {
                    Failures.note(error)
                }
                arrivals.add()
            }
        }
        let bytes = peak.bytes.withLock { $0 }
        return bytes > 0 ? bytes : nil
    }
}

/// The largest resident memory so far.
private final class Peak: Sendable {
    let bytes = Mutex(0)
}

/// A text that is repeated, in chunks.
private struct RepeatedText: AsyncSequence {
    struct Iterator: AsyncIteratorProtocol {
        let text: [UInt8]
        var rest: Int

        mutating func next() async -> [UInt8]? { takeNext() }

        mutating func next(isolation actor: isolated (any Actor)?) async -> [UInt8]? { takeNext() }

        private mutating func takeNext() -> [UInt8]? {
            guard rest > 0 else { return nil }
            var chunk: [UInt8] = []
            chunk.reserveCapacity(LineMemory.chunkSize + text.count)
            while chunk.count < LineMemory.chunkSize, rest > 0 {
                chunk += text
                rest -= 1
            }
            return chunk
        }
    }

    let text: [UInt8]
    let count: Int

    func makeAsyncIterator() -> Iterator { Iterator(text: text, rest: count) }
}
