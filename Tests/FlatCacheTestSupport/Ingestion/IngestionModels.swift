import FlatCache
import Foundation

/// A library of models with every shape of relation, for the tests of ingesting.
enum Library {
    struct City: CacheEntity, Codable, Equatable {
        let id: String
        var name: String
        var mayor: Related<Person>?
    }

    struct Person: CacheEntity, Codable, Equatable, Mergeable {
        let id: Int
        var name: String?
        var age: Int?
        var home: Related<City>?
        @Known var birthplace: Related<City>?

        func merged(with other: Person) -> Person {
            var whole = self
            whole.name = other.name ?? name
            whole.age = other.age ?? age
            whole.home = other.home ?? home
            whole.$birthplace = $birthplace.merged(with: other.$birthplace)
            return whole
        }
    }

    struct Novel: CacheEntity, Codable, Equatable {
        struct Edition: Codable, Equatable {
            var pages: Int
            var printedIn: Related<City>?
        }

        let id: Int
        var title: String
        var author: Related<Person>
        var sequel: Related<Novel>?
        var tags: [Related<Tag>]
        var settings: Set<Related<City>>?
        var readers: [String: Related<Person>]?
        var editions: [Edition]?
        var subjects: [Subject]?
    }

    enum Subject: PolymorphicRelation {
        case person(Related<Person>), city(Related<City>), other(UnknownRelation)

        static let cases = [
            RelationCase("Person", Subject.person) {
                if case .person(let person) = $0 { person } else { nil }
            },
            RelationCase("City", Subject.city) {
                if case .city(let city) = $0 { city } else { nil }
            },
            RelationCase(unknown: Subject.other) {
                if case .other(let other) = $0 { other } else { nil }
            },
        ]
    }

    struct Tag: CacheEntity, Codable, Equatable {
        let id: String
        var note: String?
    }

    struct Page: Codable, Equatable {
        var items: [Related<Novel>]
        var featured: Related<City>?
    }

    struct LenientPage: Decodable {
        var items: ValidElements<Related<Novel>>
    }
}

/// Decodes a JSON document.
func decoded<Result: Decodable>(_ type: Result.Type, _ text: String) throws -> Result {
    try JSONDecoder().decode(type, from: Data(text.utf8))
}
