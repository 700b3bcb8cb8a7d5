import Foundation
import Testing

@testable import FlatCacheSQLite

/// Tests of nested containers that are used after elements that follow them.
struct NestedContainerTests {
    /// A value with an `encode(to:)` of its own.
    private struct Written: Encodable {
        let write: @Sendable (any Encoder) throws -> Void

        func encode(to encoder: any Encoder) throws { try write(encoder) }
    }

    /// A decoded value of any shape.
    private enum Tree: Decodable, Equatable {
        case number(Int)
        case list([Tree])
        case keyed([String: Tree])

        init(from decoder: any Decoder) throws {
            let single = try decoder.singleValueContainer()
            if let number = try? single.decode(Int.self) {
                self = .number(number)
            } else if let list = try? single.decode([Tree].self) {
                self = .list(list)
            } else {
                self = .keyed(try single.decode([String: Tree].self))
            }
        }
    }

    private enum Key: CodingKey { case a, b }

    /// A number that is encoded by way of a container for a single value.
    private static let single = Written { encoder in
        var container = encoder.singleValueContainer()
        try container.encode(9)
    }

    private static let nothing = Written { _ in }

    /// Encodes a value with the compact coder and as JSON, and returns both decoded values.
    private func decoded(
        _ write: @escaping @Sendable (any Encoder) throws -> Void
    ) throws -> (row: Tree, json: Tree) {
        let json = try JSONEncoder().encode(Written(write: write))
        return (try decodedRow(write), try JSONDecoder().decode(Tree.self, from: json))
    }

    private func decodedRow(
        _ write: @escaping @Sendable (any Encoder) throws -> Void
    ) throws -> Tree {
        var bytes: [UInt8] = []
        try CompactRowCoder().encode(Written(write: write), into: &bytes)
        return try bytes.withUnsafeBytes { try CompactRowCoder().decode(Tree.self, from: $0) }
    }

    @Test func keyedContainerIsUsedAfterASingleValue() throws {
        let (row, json) = try decoded { encoder in
            var list = encoder.unkeyedContainer()
            var nested = list.nestedContainer(keyedBy: Key.self)
            try nested.encode(1, forKey: .a)
            try list.encode(Self.single)
            try nested.encode(2, forKey: .b)
        }
        #expect(row == .list([.keyed(["a": .number(1), "b": .number(2)]), .number(9)]))
        #expect(row == json)
    }

    @Test func unkeyedContainerIsUsedAfterASingleValue() throws {
        let (row, json) = try decoded { encoder in
            var list = encoder.unkeyedContainer()
            var nested = list.nestedUnkeyedContainer()
            try nested.encode(1)
            try list.encode(Self.single)
            try nested.encode(2)
        }
        #expect(row == .list([.list([.number(1), .number(2)]), .number(9)]))
        #expect(row == json)
    }

    @Test func superEncoderIsUsedAfterASingleValue() throws {
        let (row, json) = try decoded { encoder in
            var list = encoder.unkeyedContainer()
            let nested = list.superEncoder()
            try list.encode(Self.single)
            var container = nested.singleValueContainer()
            try container.encode(1)
        }
        #expect(row == .list([.number(1), .number(9)]))
        #expect(row == json)
    }

    @Test func valueThatEncodesNothingFollowsANestedContainer() throws {
        let (row, json) = try decoded { encoder in
            var list = encoder.unkeyedContainer()
            var nested = list.nestedContainer(keyedBy: Key.self)
            try nested.encode(1, forKey: .a)
            try list.encode(Self.nothing)
            try nested.encode(2, forKey: .b)
        }
        #expect(row == .list([.keyed(["a": .number(1), "b": .number(2)]), .keyed([:])]))
        #expect(row == json)
    }

    @Test("A nested container stays if the element after it fails in a nested container")
    func elementThatFailsInANestedContainerLeavesNothing() throws {
        struct Failure: Error {}
        let row = try decodedRow { encoder in
            var list = encoder.unkeyedContainer()
            var nested = list.nestedUnkeyedContainer()
            try nested.encode(1)
            let failing = Written { encoder in
                var container = encoder.unkeyedContainer()
                var inner = container.nestedUnkeyedContainer()
                try inner.encode(3)
                throw Failure()
            }
            try? list.encode(failing)
            try list.encode(Self.single)
            try nested.encode(2)
        }
        #expect(row == .list([.list([.number(1), .number(2)]), .number(9)]))
    }
}
