import FlatCache
import FlatCacheFoundation
import Foundation

/// The models of the tests of JSON:API, whose identifiers have several types.
enum Blog {
    struct Article: CacheEntity, Codable, Equatable, Mergeable {
        let id: Int
        var title: String
        @Known var year: Int?
        var author: Related<Person>?
        var comments: [Related<Comment>]?
        var owner: OwnerRef?

        func merged(with other: Article) -> Article {
            var merged = other
            merged.$year = $year.merged(with: other.$year)
            merged.author = other.author ?? author
            merged.comments = other.comments ?? comments
            merged.owner = other.owner ?? owner
            return merged
        }
    }

    struct Person: CacheEntity, Codable, Equatable {
        struct ID: RawRepresentable, Hashable, Codable, Sendable, ExpressibleByIntegerLiteral {
            var rawValue: Int

            init(rawValue: Int) { self.rawValue = rawValue }
            init(integerLiteral rawValue: Int) { self.rawValue = rawValue }
        }

        let id: ID
        var firstName: String?
        var born: Date?
    }

    struct Comment: CacheEntity, Codable, Equatable {
        let id: String
        var body: String
        @Known var author: Related<Person>?
        var mentions: Set<Related<Person>>?
    }

    struct Team: CacheEntity, Codable, Equatable {
        let id: UUID
        let type: String
        var members: [OwnerRef]?
    }

    enum OwnerRef: PolymorphicRelation {
        case person(Related<Person>), team(Related<Team>), other(UnknownRelation)

        static let cases = [
            RelationCase("people", OwnerRef.person) {
                if case .person(let person) = $0 { person } else { nil }
            },
            RelationCase("teams", OwnerRef.team) {
                if case .team(let team) = $0 { team } else { nil }
            },
            RelationCase(unknown: OwnerRef.other) {
                if case .other(let other) = $0 { other } else { nil }
            },
        ]
    }

    static let types: JSONAPITypes = [
        "articles": Article.self, "people": Person.self, "comments": Comment.self,
        "teams": Team.self,
    ]

    static let team = "8C2A3E7C-7E5B-4A3D-9D3E-0B8C5E2F1A00"
}
