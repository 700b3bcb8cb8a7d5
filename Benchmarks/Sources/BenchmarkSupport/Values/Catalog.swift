import FlatCache
import Foundation

/// The response of a book catalog, and the models that ingest it.
enum Catalog {
    /// A page of books.
    struct Page: Decodable {
        var items: [Related<Book>]
    }

    /// A book with a part of its fields known, an author and two tags.
    struct Book: CacheEntity, Decodable, Equatable {
        let id: Int
        var title: String
        @Known var year: Int?
        var pages: Int
        var author: Related<Author>
        var tags: [Related<Tag>]
    }

    /// An author, whom several books of a page refer to.
    struct Author: CacheEntity, Decodable, Equatable {
        let id: Int
        var name: String
        var born: Int
        var country: String
    }

    /// A tag, which is never more than an identifier in a response.
    struct Tag: CacheEntity, Decodable, Equatable {
        let id: Int
        var name: String
    }

    /// A shape of the authors in a response.
    enum Authors: Sendable {
        case identifiers
        case embedded
    }

    /// Returns the JSON text of a page of books with one author for every five books.
    static func json(books count: Int, authors: Authors) -> Data {
        let books = books(count, authors: authors).joined(separator: ",")
        return Data("{\"items\":[\(books)]}".utf8)
    }

    /// Returns the line-delimited JSON text of the same books.
    static func lines(books count: Int, authors: Authors) -> Data {
        Data(books(count, authors: authors).map { $0 + "\n" }.joined().utf8)
    }

    private static func books(_ count: Int, authors: Authors) -> [String] {
        (0..<count).map { number in
            let id = number % max(1, count / 5)
            let author =
                switch authors {
                case .identifiers: "\(id)"
                case .embedded:
                    """
                    {"id":\(id),"name":"Author number \(id)","born":\(1900 + id % 100),\
                    "country":"Country \(id % 20)"}
                    """
                }
            return """
                {"id":\(number),"title":"\(Texts.title(number))","year":\(1900 + number % 100),\
                "pages":\(number % 900),"author":\(author),"tags":[\(number % 50),\(number % 7)]}
                """
        }
    }
}
