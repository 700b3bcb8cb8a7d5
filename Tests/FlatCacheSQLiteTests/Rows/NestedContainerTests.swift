import Foundation
import Testing

@testable import FlatCacheSQLite

/// Tests of nested containers that are used after elements that follow them.
struct NestedContainerTests {
    private static let nothing = Written { _ in }

    @Test func keyedContainerIsUsedAfterASingleValue() throws {
        let (row, json) = try decoded { encoder in
            var list = encoder.unkeyedContainer()
            var nested = list.nestedContainer(keyedBy: TreeKey.self)
            try nested.encode(1, forKey: .a)
            try list.encode(Written.nine)
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
            try list.encode(Written.nine)
            try nested.encode(2)
        }
        #expect(row == .list([.list([.number(1), .number(2)]), .number(9)]))
        #expect(row == json)
    }

    @Test func superEncoderIsUsedAfterASingleValue() throws {
        let (row, json) = try decoded { encoder in
            var list = encoder.unkeyedContainer()
            let nested = list.superEncoder()
            try list.encode(Written.nine)
            var container = nested.singleValueContainer()
            try container.encode(1)
        }
        #expect(row == .list([.number(1), .number(9)]))
        #expect(row == json)
    }

    @Test func valueThatEncodesNothingFollowsANestedContainer() throws {
        let (row, json) = try decoded { encoder in
            var list = encoder.unkeyedContainer()
            var nested = list.nestedContainer(keyedBy: TreeKey.self)
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
            try list.encode(Written.nine)
            try nested.encode(2)
        }
        #expect(row == .list([.list([.number(1), .number(2)]), .number(9)]))
    }
}
