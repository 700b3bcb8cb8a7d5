import FlatCache
import Foundation
import TestSupport
import Testing

@testable import FlatCacheTestSupport

/// Entities that are embedded in each other.
@Suite(.exclusive)
struct EmbeddingDepthTests {
    private struct Link: CacheEntity, Codable {
        let id: Int
        var next: Related<Link>?
    }

    private struct Branch: CacheEntity, Codable {
        let id: Int
        var parts: [Related<Branch>]
    }

    private let cache = Cache()

    @Test func manyLevelsAreStored() throws {
        let link = try cache.ingest { try Related<Link>(from: ChainDecoder(length: 32)) }
        #expect(link.id == 0)
        #expect(cache.count(of: Link.self) == 32)
        #expect(cache[Link.self, 31]?.next?.id == 32)
    }

    @Test("Ten thousand levels are an error", arguments: [true, false])
    func tooManyLevels(isInScope: Bool) throws {
        let error = try #require(throws: DecodingError.self) {
            let decoder = ChainDecoder(length: 10_000)
            if isInScope {
                try cache.ingest { try Related<Link>(from: decoder) }
            } else {
                _ = try Related<Link>(from: decoder)
            }
        }
        #expect(error.details?.debugDescription.contains("32 levels") == true)
        #expect(cache.count(of: Link.self) == 0)
        // The levels are counted anew.
        try cache.ingest { try Related<Link>(from: ChainDecoder(length: 32)) }
    }

    @Test func documentWithTenThousandLevelsIsAnError() {
        let count = 10_000
        let text =
            String(repeating: #"{"id": 1, "parts": ["#, count: count) + "2"
            + String(repeating: "]}", count: count)
        #expect(throws: DecodingError.self) {
            try cache.ingest { try decoded(Related<Branch>.self, text) }
        }
        #expect(cache.count(of: Branch.self) == 0)
    }

    // AddressSanitizer needs three times as much stack, so the thread has twice that of a queue's.
    @Test("The deepest document fits on a small stack")
    func smallStack() throws {
        let links =
            String(repeating: #"{"id": 1, "next": "#, count: 32) + "2"
            + String(repeating: "}", count: 32)
        let outcome = Recorder<Result<Void, any Error>>()
        let thread = RunningThread(stackSize: 1024 * 1024) { [cache] in
            outcome.append(
                Result { _ = try cache.ingest { try decoded(Related<Link>.self, links) } }
            )
        }
        #expect(thread.wait())
        try #require(outcome.all.first).get()
        #expect(cache.count(of: Link.self) == 1)
    }

    @Test("A mistake at the deepest level costs one attempt per level")
    func deepMistake() throws {
        let count = 31
        let text =
            String(repeating: #"{"id": 1, "parts": [3, "#, count: count) + #"{"id": "x"}"#
            + String(repeating: "]}", count: count)
        let valid = text.replacingOccurrences(of: #""x""#, with: "7")
        try cache.ingest { try decoded(Related<Branch>.self, valid) }
        #expect(throws: DecodingError.self) {
            try cache.ingest {
                // The scope expects whole entities from now on.
                for _ in 0..<3 { _ = try decoded(Related<Branch>.self, valid) }
                return try decoded([Related<Branch>].self, "[\(text)]")
            }
        }
    }
}

/// A decoder of an object that contains the next object, down to an identifier.
private struct ChainDecoder: Decoder {
    var level = 0
    let length: Int

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard level < length else { throw Self.mismatch }
        return KeyedDecodingContainer(ChainContainer(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Self.mismatch }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        guard level == length else { throw Self.mismatch }
        return NumberContainer(number: level)
    }

    static var mismatch: DecodingError {
        .typeMismatch(Int.self, .init(codingPath: [], debugDescription: "Another shape."))
    }
}

private struct ChainContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ChainDecoder

    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { ["id", "next"].compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { allKeys.contains { $0.stringValue == key.stringValue } }

    func decodeNil(forKey key: Key) throws -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try T(from: try superDecoder(forKey: key))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try superDecoder(forKey: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw ChainDecoder.mismatch
    }

    func superDecoder() throws -> any Decoder { decoder }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        key.stringValue == "id"
            ? ChainDecoder(level: decoder.level, length: decoder.level)
            : ChainDecoder(level: decoder.level + 1, length: decoder.length)
    }
}

private struct NumberContainer: SingleValueDecodingContainer {
    let number: Int

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        guard let number = number as? T else { throw ChainDecoder.mismatch }
        return number
    }
}
