import Foundation

@testable import FlatCacheSQLite

/// A value with an `encode(to:)` of its own.
struct Written: Encodable {
    let write: @Sendable (any Encoder) throws -> Void

    func encode(to encoder: any Encoder) throws { try write(encoder) }

    /// A number that is encoded by way of a container for a single value.
    static let nine = Written { encoder in
        var container = encoder.singleValueContainer()
        try container.encode(9)
    }
}

/// A decoded value of any shape.
enum Tree: Decodable, Equatable {
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

enum TreeKey: CodingKey { case a, b }

/// Encodes a value with the compact coder and as JSON, and returns both decoded values.
func decoded(
    _ write: @escaping @Sendable (any Encoder) throws -> Void
) throws -> (row: Tree, json: Tree) {
    let json = try JSONEncoder().encode(Written(write: write))
    return (try decodedRow(write), try JSONDecoder().decode(Tree.self, from: json))
}

func decodedRow(
    _ write: @escaping @Sendable (any Encoder) throws -> Void
) throws -> Tree {
    let bytes = try CompactRowCoder().encode(Written(write: write))
    return try bytes.withUnsafeBytes { try CompactRowCoder().decode(Tree.self, from: $0) }
}
