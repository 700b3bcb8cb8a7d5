import FlatCache

struct Book: Identifiable, Codable, Hashable, Sendable {
    let id: Int
    var title: String
}

struct Author: Identifiable, Codable, Hashable, Sendable {
    let id: String
    var name: String
}

/// A value whose parts arrive one by one.
struct Profile: Identifiable, Codable, Hashable, Mergeable, Sendable {
    let id: Int
    var name: String?
    var email: String?

    func merged(with other: Profile) -> Profile {
        Profile(id: id, name: other.name ?? name, email: other.email ?? email)
    }
}

/// A value that refers to another one of its type.
struct Part: Identifiable, Codable, Hashable, HasCachedRelationships, Sendable {
    let id: Int
    var next: Int?

    var relatedCacheKeys: Set<CacheKey> { Set(next.map { [CacheKey(Part.self, id: $0)] } ?? []) }
}

/// A value whose encoding fails.
struct Stubborn: Identifiable, Codable, Hashable, Sendable {
    struct Refusal: Error {}

    private enum CodingKeys: CodingKey { case id }

    let id: Int
    var refuses: Bool

    init(id: Int, refuses: Bool) {
        self.id = id
        self.refuses = refuses
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int.self, forKey: .id)
        refuses = false
    }

    func encode(to encoder: any Encoder) throws {
        if refuses { throw Refusal() }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
    }
}
