// Imports of line-delimited JSON and of JSON:API documents from code on the main actor.
import FlatCache
import FlatCacheFoundation
import Foundation

struct Song: CacheEntity, Codable, Equatable {
    let id: Int
    var title: String
    var singer: Related<Singer>
}

struct Singer: CacheEntity, Codable, Equatable {
    let id: String
    var name: String
}

func importLines(into cache: Cache) async throws -> [Int] {
    let chunks = AsyncStream<Data> { continuation in
        for text in [#"{"id": 1, "title": "A", "singer": {"id""#, #": "s", "name": "S"}}"#] {
            continuation.yield(Data(text.utf8))
        }
        continuation.finish()
    }
    var counts: [Int] = []
    try await cache.ingest(contentsOf: JSONLines(of: Song.self, chunks: chunks)) { storedCount in
        MainActor.assertIsolated()
        counts.append(storedCount)
    }
    return counts
}

func importDocument(into cache: Cache) throws -> [Song] {
    let text = """
        {
            "data": [{
                "type": "songs", "id": "2", "attributes": {"title": "B"},
                "relationships": {"singer": {"data": {"type": "singers", "id": "t"}}}
            }],
            "included": [{"type": "singers", "id": "t", "attributes": {"name": "T"}}]
        }
        """
    return try cache.ingest(
        JSONAPIDocument<[Song]>.self,
        from: Data(text.utf8),
        types: ["songs": Song.self, "singers": Singer.self]
    ).data
}
