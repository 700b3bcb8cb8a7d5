import FlatCache
import Foundation
import TestSupport
import Testing

@testable import FlatCacheTestSupport

/// Random documents, ingested into a cache and normalized by a naive reference.
struct IngestionOracleTests {
    private let settings = RandomTestSettings(seeds: 25, steps: 8)

    @Test(
        "Ingesting random documents stores the entities of the reference normalizer",
        arguments: [true, false]
    )
    func randomDocuments(hasExplicitScope: Bool) {
        // While an explicit scope exists, references are decoded in another way.
        let ingestion = hasExplicitScope ? Cache().ingest { Ingestion.current } : nil
        defer { withExtendedLifetime(ingestion) {} }
        settings.forEachSeed { seed in
            var generator = DocumentGenerator(seed: seed)
            let cache = Cache()
            var reference = ReferenceNormalizer()
            for step in 1...settings.steps {
                // Later documents have mistakes, and must leave the cache unchanged.
                generator.hasMistakes = step > settings.steps / 2
                let page = generator.page()
                let isValid = (try? reference.add(page: page)) != nil
                let ingested = try? cache.ingest { try decoded(Library.Page.self, page.text) }
                var problem = ReferenceNormalizer(cache).differences(from: reference.sorted)
                if isValid != (ingested != nil) { problem = "The document is valid: \(isValid)" }
                if let problem {
                    return FailureReport(
                        seed: seed,
                        step: step,
                        operations: [page.text],
                        problem: problem
                    )
                }
            }
            return nil
        }
    }

    @Test(
        "Valid elements of random documents are stored, with nothing of the others",
        arguments: [true, false]
    )
    func randomInvalidElements(hasExplicitScope: Bool) {
        let ingestion = hasExplicitScope ? Cache().ingest { Ingestion.current } : nil
        defer { withExtendedLifetime(ingestion) {} }
        settings.forEachSeed { seed in
            var generator = DocumentGenerator(seed: seed)
            generator.hasMistakes = true
            let cache = Cache()
            var reference = ReferenceNormalizer()
            for step in 1...settings.steps {
                let page = generator.page()
                let invalid = reference.add(lenientPage: page)
                let ingested = try? cache.ingest {
                    try decoded(Library.LenientPage.self, page.text)
                }
                var problem = ReferenceNormalizer(cache).differences(from: reference.sorted)
                if ingested?.items.problems.map(\.index) != invalid {
                    problem = "The elements \(invalid) are invalid."
                }
                if let problem {
                    return FailureReport(
                        seed: seed,
                        step: step,
                        operations: [page.text],
                        problem: problem
                    )
                }
            }
            return nil
        }
    }

    @Test("Decoding a document again from its references changes nothing")
    func roundTrips() {
        settings.forEachSeed { seed in
            var generator = DocumentGenerator(seed: seed)
            let page = generator.page()
            let cache = Cache()
            guard
                let first = try? cache.ingest({ try decoded(Library.Page.self, page.text) }),
                let data = try? JSONEncoder().encode(first),
                let second = try? JSONDecoder().decode(Library.Page.self, from: data),
                first == second
            else { return FailureReport(seed: seed, step: nil, problem: page.text) }
            return nil
        }
    }

    @Test("Entities that are encoded one by one normalize to the same graph in another cache")
    func roundTripsOfEntities() {
        settings.forEachSeed { seed in
            var generator = DocumentGenerator(seed: seed)
            let page = generator.page()
            let cache = Cache()
            let copy = Cache()
            do {
                try cache.ingest { try decoded(Library.Page.self, page.text) }
                try copy.ingest { try Self.encodedAndDecoded(cache.values(of: Library.Novel.self)) }
                try copy.ingest {
                    try Self.encodedAndDecoded(cache.values(of: Library.Person.self))
                }
                try copy.ingest { try Self.encodedAndDecoded(cache.values(of: Library.City.self)) }
                try copy.ingest { try Self.encodedAndDecoded(cache.values(of: Library.Tag.self)) }
            } catch {
                return FailureReport(seed: seed, step: nil, problem: "\(error)")
            }
            let problem = ReferenceNormalizer(copy)
                .differences(from: ReferenceNormalizer(cache).sorted)
            return problem.map { FailureReport(seed: seed, step: nil, problem: $0) }
        }
    }

    private static func encodedAndDecoded<Value: Codable>(_ values: [Value]) throws -> [Value] {
        let data = try values.map { try JSONEncoder().encode($0) }
        return try data.map { try JSONDecoder().decode(Value.self, from: $0) }
    }
}
