import FlatCache

/// A partial value with ten fields that a response may omit.
struct KnownNovel: Mergeable, Identifiable, Sendable {
    let id: Int
    @Known var title: String?
    @Known var subtitle: String?
    @Known var language: String?
    @Known var publisher: String?
    @Known var year: Int?
    @Known var pages: Int?
    @Known var edition: Int?
    @Known var price: Double?
    @Known var rating: Double?
    @Known var isAvailable: Bool?

    func merged(with other: Self) -> Self {
        var merged = other
        merged.$title = $title.merged(with: other.$title)
        merged.$subtitle = $subtitle.merged(with: other.$subtitle)
        merged.$language = $language.merged(with: other.$language)
        merged.$publisher = $publisher.merged(with: other.$publisher)
        merged.$year = $year.merged(with: other.$year)
        merged.$pages = $pages.merged(with: other.$pages)
        merged.$edition = $edition.merged(with: other.$edition)
        merged.$price = $price.merged(with: other.$price)
        merged.$rating = $rating.merged(with: other.$rating)
        merged.$isAvailable = $isAvailable.merged(with: other.$isAvailable)
        return merged
    }
}
