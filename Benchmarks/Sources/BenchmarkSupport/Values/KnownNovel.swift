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

extension KnownNovel {
    /// Merges as `@Mergeable` writes it; a copy, because the macro would need SwiftSyntax here.
    func mergedByMacro(with other: Self) -> Self {
        var merged = Self(
            id: other.id,
            title: Swift.Optional<String>.none,
            subtitle: Swift.Optional<String>.none,
            language: Swift.Optional<String>.none,
            publisher: Swift.Optional<String>.none,
            year: Swift.Optional<Int>.none,
            pages: Swift.Optional<Int>.none,
            edition: Swift.Optional<Int>.none,
            price: Swift.Optional<Double>.none,
            rating: Swift.Optional<Double>.none,
            isAvailable: Swift.Optional<Bool>.none
        )
        merged.$title = self.$title.merged(with: other.$title)
        merged.$subtitle = self.$subtitle.merged(with: other.$subtitle)
        merged.$language = self.$language.merged(with: other.$language)
        merged.$publisher = self.$publisher.merged(with: other.$publisher)
        merged.$year = self.$year.merged(with: other.$year)
        merged.$pages = self.$pages.merged(with: other.$pages)
        merged.$edition = self.$edition.merged(with: other.$edition)
        merged.$price = self.$price.merged(with: other.$price)
        merged.$rating = self.$rating.merged(with: other.$rating)
        merged.$isAvailable = self.$isAvailable.merged(with: other.$isAvailable)
        return merged
    }
}
