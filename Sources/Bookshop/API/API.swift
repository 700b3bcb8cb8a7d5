import Foundation

/// The bookshop's API, which answers each request with a file of a folder.
///
/// `GET books?after=page-2` is answered with `books-after-page-2.json`. An app has a network here;
/// the rest of the tour would stay as it is.
struct API: Sendable {
    private let folder: URL
    private let files: Set<String>
    private let output: Output

    /// Creates an API that answers with the `.json` files of a folder.
    ///
    /// - Throws: An error if there is no such file.
    init(folder: URL, output: Output) throws(FileError) {
        self.folder = folder
        self.output = output
        let path = folder.path(percentEncoded: false)
        let contents = try? FileManager.default.contentsOfDirectory(atPath: path)
        files = Set((contents ?? []).filter { $0.hasSuffix(".json") })
        guard !files.isEmpty else {
            throw FileError(file: path, place: nil, reason: "This is no folder of .json files.")
        }
    }

    /// Requests and decodes a response.
    ///
    /// - Throws: `NotFound` if no file answers the request, or a `FileError` if the file can't be
    ///   decoded.
    func get<Answer: Decodable>(_ path: String, as type: Answer.Type) async throws -> Answer {
        output.line("GET \(path)")
        let words = path.split { !$0.isLetter && !$0.isNumber }
        let file = words.joined(separator: "-") + ".json"
        guard files.contains(file) else { throw NotFound() }
        do {
            let data = try Data(contentsOf: folder.appending(path: file))
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw FileError(file: file, error: error)
        }
    }
}
