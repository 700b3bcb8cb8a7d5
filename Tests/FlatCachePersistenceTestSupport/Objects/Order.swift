/// A value that can't be stored without a transformer.
struct Order: Codable, Hashable, Sendable {
    var title = "none"
    var quantity = 0
}
