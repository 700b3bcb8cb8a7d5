// The models of a nested API, and its response.
import FlatCache
import Foundation

struct Author: CacheEntity, Codable, Equatable {
    let id: Int
    var name: String
}

struct Publisher: CacheEntity, Codable, Equatable {
    let id: Int
    var name: String
}

struct Book: CacheEntity, Codable, Equatable {
    let id: Int
    var title: String
    var author: Related<Author>
}

struct Page: Codable, Sendable {
    var items: [Related<Book>]
    var next: String?
}

struct API: Sendable {
    func books(after cursor: String?) async throws -> Page { Page(items: [], next: nil) }
}

let api = API()
let cache = Cache()
let cursor: String? = nil
let decoder = JSONDecoder()
let data = Data(#"{"items": [{"id": 1, "title": "A", "author": {"id": 7, "name": "B"}}]}"#.utf8)
