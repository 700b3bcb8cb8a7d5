/// Plain structures for the responses of a ``Catalog``, with the same fields.
enum PlainCatalog {
    /// A page of books whose authors are identifiers.
    struct Page: Decodable {
        var items: [Book]
    }

    /// A book whose author is an identifier.
    struct Book: Decodable {
        let id: Int
        var title: String
        var year: Int?
        var pages: Int
        var author: Int
        var tags: [Int]
    }

    /// A page of books whose authors are embedded.
    struct NestedPage: Decodable {
        var items: [NestedBook]
    }

    /// A book that contains its author.
    struct NestedBook: Decodable {
        let id: Int
        var title: String
        var year: Int?
        var pages: Int
        var author: Author
        var tags: [Int]
    }

    /// An author.
    struct Author: Decodable {
        let id: Int
        var name: String
        var born: Int
        var country: String
    }
}
