import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Random commits of two graphs of one file, compared with a dictionary in which the later flush of
/// each book wins.
struct SharedModelTests {
    @Test func bothCachesAgreeWithTheLatestChanges() async throws {
        let settings = RandomTestSettings(seeds: 4, steps: 100)
        for seed in settings.seeds {
            var generator = SplitMix64(seed: seed)
            let run = SharedRun(file: try await SharedFile())
            for step in 0..<settings.steps {
                guard let problem = try await run.step(step, &generator) else { continue }
                FailureReport(seed: seed, step: step, problem: problem).record()
                return
            }
        }
    }
}

/// Two graphs of a file, and the books that both must have after they have written and imported.
private final class SharedRun {
    private let file: SharedFile
    /// The books that each graph has changed since its last flush.
    private var pending: [[Int: Book?]] = [[:], [:]]
    /// The books in the file.
    private var written: [Int: Book] = [:]

    init(file: SharedFile) { self.file = file }

    func step(_ step: Int, _ generator: inout SplitMix64) async throws -> String? {
        let index = generator.below(2)
        let side = index == 0 ? file.first : file.second
        // Loads import. The watch of the file may do so before, with the same result.
        for side in [file.first, file.second] {
            _ = try await side.graph.load(Book.self, id: -1)
        }
        switch generator.below(10) {
        case 0..<6:
            side.cache.performBatchUpdates { batch in
                for _ in 0...generator.below(4) {
                    let id = generator.below(8)
                    if generator.oneIn(4) {
                        batch.remove(Book.self, id: id)
                        pending[index][id] = .some(nil)
                    } else {
                        let book = Book(id: id, title: "\(index) \(step)")
                        batch.set(book)
                        pending[index][id] = book
                    }
                }
            }
            file.clock.advance(by: .seconds(1))
            return nil
        case 6:
            try await side.graph.suspend()
            try await side.graph.resume()
        default:
            try await side.graph.flush()
        }
        for (id, book) in pending[index] { written[id] = book }
        pending[index] = [:]
        let actual = Dictionary(
            uniqueKeysWithValues: side.cache.values(of: Book.self).map { ($0.id, $0) }
        )
        if let error = file.folder.errors.all.first { return "\(error)" }
        return actual == written ? nil : "graph \(index) has \(actual), not \(written)"
    }
}
