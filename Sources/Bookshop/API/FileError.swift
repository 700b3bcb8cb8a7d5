import FlatCachePersistence
import Foundation

/// An error in a file, and its position.
struct FileError: Error, Equatable, CustomStringConvertible {
    let file: String

    /// The coding path of a value that can't be decoded, or `nil` if the whole file can't.
    let place: String?
    let reason: String

    init(file: String, place: String?, reason: String) {
        self.file = file
        self.place = place
        self.reason = reason
    }

    /// Explains why a file could not be read, decoded or written.
    init(file: String, error: any Error) {
        self.file = file
        switch (error as? PersistenceError)?.underlying ?? error {
        case DecodingError.keyNotFound(let key, let context):
            place = Self.path(context.codingPath + [key])
            reason = "This is required, but missing."
        case DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty:
            place = nil
            reason = context.debugDescription
        case DecodingError.valueNotFound(_, let context),
            DecodingError.typeMismatch(_, let context),
            DecodingError.dataCorrupted(let context):
            place = Self.path(context.codingPath)
            reason = context.debugDescription
        case let error as CocoaError:
            place = nil
            reason = error.localizedDescription
        case let other:
            place = nil
            reason = "\(other)."
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
