import FlatCachePersistence
import Foundation

/// Makes JSON a text for people: it ends with a newline, and an error in it has a line and a column.
struct JSONText: Transformer {
    /// Ends the JSON as text files end.
    func transformValue(_ json: Data) -> Data { json + Data("\n".utf8) }

    /// Returns the text, which is JSON as it is.
    ///
    /// - Throws: `JSONSyntaxError`. Foundation's decoder, which comes next, lets some errors pass and
    ///   doesn't say on every platform where the others are.
    func untransformValue(_ text: Data) throws -> Data {
        if let error = JSONSyntaxError(firstIn: text) { throw error }
        return text
    }
}
