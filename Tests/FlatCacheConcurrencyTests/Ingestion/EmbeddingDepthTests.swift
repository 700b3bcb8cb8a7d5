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

    /// A link that takes at least 16 KB of the stack while it's decoded.
    private struct WideLink: CacheEntity, Decodable {
        private enum CodingKeys: CodingKey { case id, next }

        let id: Int
        let next: Related<WideLink>

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            next = try Self.using(kilobytes: 16) {
                try container.decode(Related<WideLink>.self, forKey: .next)
            }
        }

        /// Calls a closure after a part of the stack has been used.
        ///
        /// The standard library takes larger amounts of temporary memory from the heap.
        @inline(never)
        private static func using<Result>(
            kilobytes: Int,
            _ body: () throws -> Result
        ) rethrows -> Result {
            try withUnsafeTemporaryAllocation(byteCount: 1 << 10, alignment: 16) { memory in
                defer { keep(memory) }
                return try kilobytes > 1 ? using(kilobytes: kilobytes - 1, body) : body()
            }
        }

        /// Keeps the compiler from removing memory that isn't used otherwise.
        @inline(never)
        private static func keep(_ memory: UnsafeMutableRawBufferPointer) {
            memory.initializeMemory(as: UInt8.self, repeating: 1)
        }
    }

    private struct Branch: CacheEntity, Codable {
        let id: Int
        var parts: [Related<Branch>]
    }

    private let cache = Cache()

    @Test func manyLevelsAreStored() throws {
        let link = try cache.ingest { try Related<Link>(from: ChainDecoder(length: 200)) }
        #expect(link.id == 0)
        #expect(cache.count(of: Link.self) == 200)
        #expect(cache[Link.self, 199]?.next?.id == 200)
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
        #expect(error.details?.debugDescription.contains("256 levels") == true)
        #expect(cache.count(of: Link.self) == 0)
        // The levels are counted anew.
        try cache.ingest { try Related<Link>(from: ChainDecoder(length: 200)) }
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

    @Test("A document that is too deep for the stack is an error", arguments: [true, false])
    func smallStack(isInScope: Bool) throws {
        let branches =
            String(repeating: #"{"id": 1, "parts": ["#, count: 250) + "2"
            + String(repeating: "]}", count: 250)
        let links =
            String(repeating: #"{"id": 1, "next": "#, count: 250) + "2"
            + String(repeating: "}", count: 250)
        let outcomes = Recorder<Result<Void, any Error>>()
        // The first eight levels aren't limited, and take half a megabyte under AddressSanitizer.
        let thread = RunningThread(stackSize: 1024 * 1024) { [cache] in
            for decode in [
                { _ = try decoded(Related<WideLink>.self, links) },
                { _ = try decoded(Related<Link>.self, links) },
                { _ = try decoded([Related<Branch>].self, "[\(branches)]") },
            ] {
                outcomes.append(Result { try isInScope ? cache.ingest(decode) : decode() })
            }
        }
        #expect(thread.wait())
        #expect(throws: DecodingError.self) { try #require(outcomes.all.first).get() }
        // A level may take so little of the stack that the document can be decoded.
        for outcome in outcomes.all {
            guard case .failure(let error) = outcome else { continue }
            #expect(error is DecodingError)
        }
        #expect(cache.count(of: WideLink.self) == 0)
    }

    @Test("A mistake at the deepest level costs one attempt per level")
    func deepMistake() throws {
        let count = 120
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
