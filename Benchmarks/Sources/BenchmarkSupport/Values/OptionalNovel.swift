/// A ``KnownNovel`` with optional fields, whose missing values keep the values of an older novel.
struct OptionalNovel: Identifiable, Sendable {
    let id: Int
    var title: String?
    var subtitle: String?
    var language: String?
    var publisher: String?
    var year: Int?
    var pages: Int?
    var edition: Int?
    var price: Double?
    var rating: Double?
    var isAvailable: Bool?

    func merged(with other: Self) -> Self {
        var merged = other
        merged.title = other.title ?? title
        merged.subtitle = other.subtitle ?? subtitle
        merged.language = other.language ?? language
        merged.publisher = other.publisher ?? publisher
        merged.year = other.year ?? year
        merged.pages = other.pages ?? pages
        merged.edition = other.edition ?? edition
        merged.price = other.price ?? price
        merged.rating = other.rating ?? rating
        merged.isAvailable = other.isAvailable ?? isAvailable
        return merged
    }
}

extension OptionalNovel {
    /// Merges as `@Mergeable` writes it; a copy, because the macro would need SwiftSyntax here.
    func mergedByMacro(with other: Self) -> Self {
        let title = other.title ?? self.title
        let subtitle = other.subtitle ?? self.subtitle
        let language = other.language ?? self.language
        let publisher = other.publisher ?? self.publisher
        let year = other.year ?? self.year
        let pages = other.pages ?? self.pages
        let edition = other.edition ?? self.edition
        let price = other.price ?? self.price
        let rating = other.rating ?? self.rating
        let isAvailable = other.isAvailable ?? self.isAvailable
        return Self(
            id: other.id,
            title: title,
            subtitle: subtitle,
            language: language,
            publisher: publisher,
            year: year,
            pages: pages,
            edition: edition,
            price: price,
            rating: rating,
            isAvailable: isAvailable
        )
    }
}
