#if Macros
import FlatCache
import FlatCacheTesting
import Testing

/// A model with properties that an initializer treats in rarer ways.
@Mergeable
private struct Draft: CacheEntity, Equatable {
    let id: Int
    let year: Known<Int>
    var `default`: Int?
    var `in`, `inout`: (Int?)
    let version: Int? = -3
    @Known private var length: Int?
    @Known fileprivate var width: Optional<Int>
    @Known private(set) var height: Int?

    static func draft(year: Known<Int> = .unknown, length: Int? = nil) -> Draft {
        var draft = Draft(id: 1, year: year, width: nil)
        if let length { draft.length = length }
        return draft
    }
}

extension Draft {
    /// An initializer that makes a literal `nil` ambiguous.
    fileprivate init(
        id: Int,
        year: Known<Int>,
        default: Int?,
        in: Int?,
        `inout` second: Int?,
        width: String?,
        height: Int?
    ) {
        self.init(id: id, year: year, width: nil)
    }
}

/// A model that invents a part of its values.
@Mergeable
private struct Visit: Identifiable, Equatable {
    let id = Token()
    var note: String?
}

private final class Token: Sendable, Hashable {
    static func == (left: Token, right: Token) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

private enum Shelf {
    @Mergeable @CachedRelationships
    struct Label: CacheEntity, Equatable {
        let id: Int
        var text: String?
    }
}

/// Merges of rarer shapes of properties at run time.
struct MacroModelShapeTests {
    @Test func mergeKeepsPrivateKnownValues() {
        let older = Draft.draft(year: .value(1990), length: 3)
        #expect(older.merged(with: .draft()) == older)
        #expect(
            older.merged(with: .draft(year: .null, length: 4)) == .draft(year: .null, length: 4)
        )
        var newer = Draft.draft()
        newer.default = 1
        newer.in = 2
        newer.inout = 3
        var expected = older
        expected.default = 1
        expected.in = 2
        expected.inout = 3
        #expect(older.merged(with: newer) == expected)
        #expect(newer.merged(with: older) == expected)
    }

    @Test func typeInAPrivateTypeMerges() {
        let merged = Shelf.Label(id: 1, text: "a").merged(with: Shelf.Label(id: 1))
        #expect(merged == Shelf.Label(id: 1, text: "a"))
        #expect(merged.relatedCacheKeys.isEmpty)
    }

    @Test func mergeKeepsAnInventedIdentifier() {
        let older = Visit(note: "a")
        let newer = Visit(note: nil)
        #expect(older.merged(with: newer).id == newer.id)
        #expect(older.merged(with: newer).note == "a")
    }
}
#endif
