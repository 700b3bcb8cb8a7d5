import Dispatch
import FlatCache
import Foundation
import TestSupport
import Testing

@testable import FlatCacheTestSupport

/// Ingests of overlapping documents on several threads.
@Suite(.exclusive)
struct IngestionThreadsTests {
    @Test("Threads that ingest overlapping graphs with stamps end with the reference's graph")
    func overlappingGraphs() {
        let settings = RandomTestSettings(seeds: 4, steps: 20, hasThreads: true)
        settings.forEachSeed { seed in
            let cache = Cache()
            var random = SplitMix64(seed: seed)
            let pages = (0..<(4 * settings.steps)).map { Self.page($0, &random) }
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for step in 0..<settings.steps {
                    let stamp = step * 4 + thread
                    _ = try? cache.ingest(modifiedAt: stamp) {
                        try decoded(Library.Page.self, pages[stamp].text)
                    }
                }
            }
            // Each document contains whole entities, so the newest document decides.
            var reference = ReferenceNormalizer()
            do {
                for page in pages { try reference.add(page: page) }
            } catch {
                return FailureReport(seed: seed, step: nil, problem: "\(error)")
            }
            let problem = ReferenceNormalizer(cache).differences(from: reference.sorted)
            return problem.map { FailureReport(seed: seed, step: nil, problem: $0) }
        }
    }

    /// Returns a page of nested novels, whose entities have the values of one document.
    private static func page(_ stamp: Int, _ random: inout SplitMix64) -> JSON {
        let items = (0..<3).map { _ in
            JSON.object([
                ("id", .number(random.below(6))), ("title", .text("\(stamp)")),
                ("author", person(random.below(4), stamp)), ("sequel", .number(stamp % 6)),
                ("tags", .array([tag(random.below(3), stamp), .text("t\(stamp % 3)")])),
            ])
        }
        // Novels of one page may have the same identifier and different authors.
        return .object([("items", .array(items)), ("featured", city(random.below(3), stamp))])
    }

    private static func person(_ id: Int, _ stamp: Int) -> JSON {
        .object([
            ("id", .number(id)), ("name", .text("\(stamp)")), ("age", .number(stamp)),
            ("home", city(id % 3, stamp)), ("birthplace", .text("c\((id + stamp) % 3)")),
        ])
    }

    private static func city(_ id: Int, _ stamp: Int) -> JSON {
        .object([
            ("id", .text("c\(id)")), ("name", .text("\(stamp)")), ("mayor", .number(stamp % 4)),
        ])
    }

    private static func tag(_ id: Int, _ stamp: Int) -> JSON {
        .object([("id", .text("t\(id)")), ("note", .text("\(stamp)"))])
    }
}
