import FlatCache
import Foundation
import Testing

@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

private struct Sample: Codable, Sendable, Equatable {
    enum Kind: String, Codable { case one, two }
    var text = "text"
    var number = 5
    var fraction: Float = 0.5
    var date = Date(timeIntervalSinceReferenceDate: 5)
    var bytes = Data([1, 2, 3])
    var kinds = [Kind.one, .two]
    var table: [String: [Int?]] = ["a": [1, nil]]
    var url = URL(string: "https://example.org")
    var inside: [Sample] = []
}

/// Transformers that read damaged bytes must return a value or throw, and never end the process.
@Suite struct TransformerFuzzTests {
    private let settings = RandomTestSettings(seeds: 3, steps: 300)

    private func damaged(_ original: Data, _ generator: inout SplitMix64) -> Data {
        var bytes = Array(original)
        for _ in 0...Int.random(in: 0..<4, using: &generator) {
            let place = Int.random(in: 0...bytes.count, using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: bytes.removeSubrange(place...)
            case 1: bytes.insert(.random(in: 0...255, using: &generator), at: place)
            case 2 where place < bytes.count:
                bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 3 where place < bytes.count: bytes.remove(at: place)
            case 4 where place < bytes.count: bytes[place] = .random(in: 0...255, using: &generator)
            default:
                guard place < bytes.count else { continue }
                let end = min(bytes.count, place + Int.random(in: 1...20, using: &generator))
                bytes.insert(
                    contentsOf: bytes[place..<end],
                    at: .random(in: 0...bytes.count, using: &generator)
                )
            }
        }
        return Data(bytes)
    }

    private func fuzz<Form: Transformer>(
        _ transformer: Form,
        _ originals: [Data]
    ) where Form.Output == Data {
        settings.forEachSeed { seed in
            var generator = SplitMix64(seed: seed)
            var refused = 0
            for round in 0..<settings.steps {
                let data = damaged(originals[round % originals.count], &generator)
                do {
                    _ = try transformer.untransformValue(data)
                } catch {
                    refused += 1
                }
            }
            // Otherwise the damage is too small for a meaningful test.
            let isEnough = refused > settings.steps / 10
            return FailureReport(
                seed: seed,
                problems: isEnough ? [] : ["Only \(refused) damaged values were refused."]
            )
        }
    }

    private var sample: Sample { Sample(inside: [Sample(), Sample(inside: [Sample()])]) }

    @Test func damagedJSONDoesNotCrash() throws {
        let transformer = JSONTransformer<Sample>()
        fuzz(transformer, [try transformer.transformValue(sample)])
    }

    @Test func damagedPropertyListsDoNotCrash() throws {
        let originals = try [PropertyListTransformer<Sample>.Format.binary, .xml].map {
            try PropertyListTransformer<Sample>(outputFormat: $0).transformValue(sample)
        }
        fuzz(PropertyListTransformer<Sample>(), originals)
    }

    @Test func damagedArchivesDoNotCrash() throws {
        let transformer = SecureCodingTransformer<Account>()
        let account = Account("Ann", tags: ["a", "b"], parent: Account("p", tags: ["c"]))
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.outputFormat = .xml
        archiver.encode(account, forKey: NSKeyedArchiveRootObjectKey)
        archiver.finishEncoding()
        let originals = [try transformer.transformValue(Archived(account)), archiver.encodedData]
        _ = try originals.map { try transformer.untransformValue($0) }
        fuzz(transformer, originals)
    }

    @Test func archivesWithWrongReferencesDoNotCrash() throws {
        let transformer = SecureCodingTransformer<Account>()
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.outputFormat = .xml
        archiver.encode(
            Account("Ann", tags: ["a"], parent: Account("p")),
            forKey: NSKeyedArchiveRootObjectKey
        )
        archiver.finishEncoding()
        let text = String(decoding: archiver.encodedData, as: UTF8.self)
        let parts = text.components(separatedBy: "<integer>")
        #expect(parts.count > 5)
        settings.forEachSeed { seed in
            var generator = SplitMix64(seed: seed)
            for _ in 0..<settings.steps {
                var parts = parts
                for _ in 0...1 {
                    let index = Int.random(in: 1..<parts.count, using: &generator)
                    let rest = parts[index].drop { $0 != "<" }
                    parts[index] = "\(Int.random(in: -1...20, using: &generator))" + rest
                }
                let data = Data(parts.joined(separator: "<integer>").utf8)
                _ = try? transformer.untransformValue(data)
            }
            return nil
        }
    }

    @Test func damagedValuesInContainersAreReportedOrRead() throws {
        let storage = InMemoryStorage<String, Data>()
        let shelf = Shelf(storage: storage)
        let container: KeyValueContainer<Sample> = shelf.makeContainer(
            key: "a",
            defaultValue: Sample(text: "default")
        )
        container.value = sample
        let original = try #require(try storage.retrieveValue(for: "a"))
        try settings.forEachSeed { (seed) throws in
            var generator = SplitMix64(seed: seed)
            for _ in 0..<settings.steps {
                storage.storeValue(damaged(original, &generator), key: "a")
                let value = container.value
                do {
                    #expect(try container.retrieveValueOrThrow() == value, "\(seed)")
                } catch let error as PersistenceError {
                    let isReported = error.operation == .untransform && value.text == "default"
                    #expect(isReported, "\(seed)")
                }
            }
            return nil
        }
        #expect(shelf.reported.contains(.untransform))
    }

    @Test func randomPropertyListValuesInContainersAreReportedOrRead() throws {
        func random(_ depth: Int, _ generator: inout SplitMix64) -> PropertyListValue {
            switch Int.random(in: 0..<(depth > 3 ? 7 : 9), using: &generator) {
            case 0: .bool(.random(using: &generator))
            case 1: .integer(.random(in: .min ... .max, using: &generator))
            case 2: .unsignedInteger(.max)
            case 3:
                .double([.nan, .infinity, -0.0, 1e300][Int.random(in: 0..<4, using: &generator)])
            case 4: .string(["", "$null", "one"][Int.random(in: 0..<3, using: &generator)])
            case 5: .data(Data([0]))
            case 6: .date(Date(timeIntervalSinceReferenceDate: 1e12))
            case 7: .array((0..<3).map { _ in random(depth + 1, &generator) })
            default:
                .dictionary([
                    "text": random(depth + 1, &generator), "inside": random(depth + 1, &generator),
                    "number": random(depth + 1, &generator),
                ])
            }
        }
        let form = try PropertyListValue(encoding: sample)
        guard case .dictionary(let fields) = form else {
            Issue.record("no dictionary")
            return
        }
        settings.forEachSeed { seed in
            var generator = SplitMix64(seed: seed)
            for _ in 0..<settings.steps {
                var damaged = fields
                if let key = fields.keys.sorted().randomElement(using: &generator) {
                    damaged[key] = random(0, &generator)
                }
                _ = try? PropertyListValue.dictionary(damaged).decoded(as: Sample.self)
                _ = try? random(0, &generator).decoded(as: [Sample?].self)
                _ = try? random(0, &generator).decoded(as: [String: [Int]].self)
            }
            return nil
        }
    }
}
