import Foundation

/// An error in a file, and its position.
struct FileProblem: Error, Equatable, CustomStringConvertible {
    let file: String

    /// The line and column of a syntax error, or the coding path of a value that can't be decoded.
    let place: String?
    let reason: String

    init(file: String, place: String?, reason: String) {
        self.file = file
        self.place = place
        self.reason = reason
    }

    /// Creates the problem of a file that isn't JSON.
    init(file: String, syntaxError: JSONSyntaxError) {
        self.init(
            file: file,
            place: "line \(syntaxError.line), column \(syntaxError.column)",
            reason: "This is not valid JSON: \(syntaxError.message)."
        )
    }

    /// Creates the problem of a JSON file that could not be decoded.
    init(file: String, decodingError error: any Error) {
        self.file = file
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            place = Self.path(context.codingPath + [key])
            reason = "This is required, but missing."
        case DecodingError.valueNotFound(_, let context),
            DecodingError.typeMismatch(_, let context),
            DecodingError.dataCorrupted(let context):
            place = Self.path(context.codingPath)
            reason = context.debugDescription
        default:
            place = nil
            reason = error.localizedDescription
        }
    }

    var description: String {
        [file, place, reason].compactMap { $0 }.joined(separator: ": ")
    }

    /// Returns a coding path as it would be written in code, such as `books[3].author`.
    private static func path(_ keys: [any CodingKey]) -> String {
        let path = keys.reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        return path.isEmpty ? "top level" : path
    }
}
