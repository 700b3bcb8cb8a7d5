/// How a visitor likes to see things.
struct Settings: Codable, Equatable, Sendable {
    /// What the books of an order are sorted by.
    enum Sorting: String, Codable, CaseIterable, Sendable {
        case title, year
    }

    var sorting = Sorting.title
}
