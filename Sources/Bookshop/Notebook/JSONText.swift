import FlatCachePersistence
import Foundation

/// A transformer that makes JSON a text for people: the text ends with a newline, and errors have a
/// line and a column.
struct JSONText: Transformer {
    /// Appends a newline, as in text files.
    func transformValue(_ json: Data) -> Data { json + Data("\n".utf8) }

    /// Returns the text unchanged.
    ///
    /// - Throws: `JSONSyntaxError`. Foundation's decoder, which comes next, accepts some errors,
    ///   and doesn't report the positions of the others on every platform.
    func untransformValue(_ text: Data) throws -> Data {
        if let error = JSONSyntaxError(firstIn: text) { throw error }
        return text
    }
}
