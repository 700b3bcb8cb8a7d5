import FlatCache

/// An author, identified by a name suitable for a URL, such as `le-guin`.
struct Author: CacheEntity, Codable, Equatable, Mergeable {
    let id: String
    var name: String

    /// The year of birth.
    @Known var born: Int?

    /// The town of birth, under the name that it had at the time.
    @Known var birthplace: String?

    func merged(with other: Author) -> Author {
        var merged = other
        merged.$born = $born.merged(with: other.$born)
        merged.$birthplace = $birthplace.merged(with: other.$birthplace)
        return merged
    }
}
