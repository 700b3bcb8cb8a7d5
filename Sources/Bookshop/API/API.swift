import Foundation

/// The bookshop's API, with a file of a folder as the answer to each request.
///
/// `GET books?after=page-2` is answered with `books-after-page-2.json`. An app has a network here;
/// the rest of the tour would be the same.
struct API: Sendable {
    let folder: URL
    let output: Output

    /// Requests and decodes a response.
    ///
    /// - Throws: `NotFound` if no file answers the request, or a `DecodingError`.
    func get<Answer: Decodable>(_ path: String, as type: Answer.Type) async throws -> Answer {
        output.line("GET \(path)")
        let words = path.split { !$0.isLetter && !$0.isNumber }
        let file = folder.appending(path: words.joined(separator: "-") + ".json")
        guard let data = try? Data(contentsOf: file) else { throw NotFound() }
        return try JSONDecoder().decode(type, from: data)
    }
}
