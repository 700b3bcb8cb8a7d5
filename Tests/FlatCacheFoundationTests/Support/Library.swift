import FlatCache
import Foundation

/// The models of the tests: a small graph with identifiers of several types.
enum Library {
    struct Book: CacheEntity, Codable, Equatable, Mergeable {
        let id: Int
        var title: String
        @Known var year: Int?
        var author: Related<Author>?
        var tags: [Related<Tag>]?

        func merged(with other: Book) -> Book {
            var merged = other
            merged.$year = $year.merged(with: other.$year)
            merged.author = other.author ?? author
            merged.tags = other.tags ?? tags
            return merged
        }
    }

    struct Author: CacheEntity, Codable, Equatable {
        let id: String
        var name: String
        var friend: Related<Author>?
    }

    struct Tag: CacheEntity, Codable, Equatable {
        struct ID: RawRepresentable, Hashable, Codable, Sendable {
            var rawValue: UInt8
        }

        let id: ID
        var label: String
    }

    struct Page: Codable {
        var items: [Related<Book>]
        var next: String?
    }

    /// A model that doesn't adopt `CacheEntity`.
    struct Note: Identifiable, Codable, Equatable, Sendable {
        let id: Int
        var text: String
    }
}

func data(_ text: String) -> Data { Data(text.utf8) }
