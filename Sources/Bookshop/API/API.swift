import FlatCache
import Foundation

/// The bookshop's API, with a file of a folder as the answer to each request.
///
/// `GET books?after=page-2` is answered with `books-after-page-2.json`. An app has a network here;
/// the rest of the tour would be the same.
struct API: Sendable {
    let folder: URL
    let output: Output
    let connection = Connection()

    /// Requests and decodes a response.
    ///
    /// - Throws: `Offline` without a connection, `NotFound` if no file answers the request, or a
    ///   `DecodingError`.
    func get<Answer: Decodable>(_ path: String, as type: Answer.Type) async throws -> Answer {
        try answer(to: "GET", path)
    }

    /// Orders copies of a book.
    ///
    /// - Parameters:
    ///   - copies: The number of copies.
    ///   - book: The identifier of the book.
    ///   - key: The key by which a real shop recognizes an order that it has received before.
    /// - Throws: A `Refusal` by the shop, `NotFound` if no file answers the request, or a
    ///   `DecodingError`.
    func order(_ copies: Int, of book: Book.ID, key: UUID) async throws -> Related<Order> {
        let answer: OrderAnswer = try answer(to: "POST", "orders?book=\(book)&copies=\(copies)")
        guard let order = answer.order else { throw Refusal(reason: answer.refusal ?? "unknown") }
        return order
    }

    private func answer<Answer: Decodable>(to method: String, _ path: String) throws -> Answer {
        guard connection.isUp else { throw Offline() }
        output.line("\(method) \(path)")
        let words = path.split { !$0.isLetter && !$0.isNumber }
        let file = folder.appending(path: words.joined(separator: "-") + ".json")
        guard let data = try? Data(contentsOf: file) else { throw NotFound() }
        return try JSONDecoder().decode(Answer.self, from: data)
    }
}
