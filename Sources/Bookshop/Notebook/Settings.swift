/// The settings of a visitor.
struct Settings: Codable, Equatable, Sendable {
    /// The sort order of the books of an order.
    enum Sorting: String, Codable, CaseIterable, Sendable {
        case title, year
    }

    var sorting = Sorting.title
}
