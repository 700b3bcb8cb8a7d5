import FlatCache

/// The first publisher of a book.
struct Publisher: CacheEntity, Codable, Equatable, Mergeable {
    let id: String
    var name: String
    @Known var city: String?

    func merged(with other: Publisher) -> Publisher {
        var merged = other
        merged.$city = $city.merged(with: other.$city)
        return merged
    }
}
