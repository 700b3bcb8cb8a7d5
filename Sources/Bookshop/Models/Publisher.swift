import FlatCache

/// The first publisher of a book.
struct Publisher: Identifiable, Equatable, Sendable, Decodable {
    let id: String
    var name: String?
    var city: String?
}

extension Publisher: Mergeable {
    func merged(with other: Publisher) -> Publisher {
        Publisher(id: id, name: other.name ?? name, city: other.city ?? city)
    }
}
