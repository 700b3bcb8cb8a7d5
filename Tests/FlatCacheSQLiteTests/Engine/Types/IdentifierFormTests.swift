import FlatCache
import FlatCacheRows
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

struct IdentifierFormTests {
    private struct Place: Hashable, Codable {
        var latitude: Double
        var longitude: Float
        var date: Date
    }

    @Test func equalNumbersHaveOneForm() throws {
        let form = IdentifierForm<Place>()
        let places = [0, -0.0].map { zero in
            Place(
                latitude: zero,
                longitude: Float(zero),
                date: Date(timeIntervalSinceReferenceDate: zero)
            )
        }
        #expect(places[0] == places[1])
        #expect(try form.encode(places[0]) == form.encode(places[1]))
        let numbers = IdentifierForm<Double>()
        #expect(try numbers.encode(0) == numbers.encode(-0.0))
        #expect(try numbers.encode(-1) != numbers.encode(1))
        // Other values keep the sign.
        let bytes = try CompactRowCoder().encode(-0.0)
        let decoded = try bytes.withUnsafeBytes {
            try CompactRowCoder().decode(Double.self, from: $0)
        }
        #expect(decoded.sign == .minus)
    }

    @Test(arguments: ["", "\0", "a\0b", "a", "'\"`;--", "e\u{301}", "\u{1F3F4}\u{E0067}"])
    func anyTextIdentifiesARow(id: String) async throws {
        let folder = try GraphFolder()
        let graph = try folder.graph()
        let cache = Cache()
        try await graph.attach(to: cache)
        cache.set(Author(id: id, name: "Name"))
        cache.set(Author(id: id + "b", name: "Other"))
        try await graph.flush()
        let other = try folder.graph()
        #expect(try await other.load(Author.self, id: id)?.name == "Name")
        cache.remove(Author.self, id: id)
        try await graph.flush()
        #expect(try await other.load(Author.self, id: id) == nil)
        #expect(try await other.load(Author.self, id: id + "b")?.name == "Other")
    }
}
