import FlatCache

/// The shop's answer to an order: the order, or the reason for its refusal.
struct OrderAnswer: Decodable {
    var order: Related<Order>?
    var refusal: String?
}

/// The error of an order that the shop refuses.
struct Refusal: Error {
    let reason: String
}
