import FlatCache

/// The latest changes to the books of the shop.
struct Changes: Decodable {
    var updated: [Related<Book>]

    /// The identifiers of the books that the shop no longer has.
    var withdrawn: [Book.ID]
}
