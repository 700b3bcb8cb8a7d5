/// A value that has to be transformed to be stored.
struct Order: Codable, Hashable, Sendable {
    var title = "none"
    var quantity = 0
}
