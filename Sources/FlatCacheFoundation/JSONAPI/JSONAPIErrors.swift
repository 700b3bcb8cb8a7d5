/// The errors that a server has sent in place of data, in a JSON:API document.
///
/// <!-- prelude: ingesting -->
///
/// ```swift
/// import Foundation
///
/// let response = Data(#"{"errors": [{"status": "404", "title": "Not Found"}]}"#.utf8)
/// do {
///     try cache.ingest(JSONAPIDocument<Book>.self, from: response, types: ["books": Book.self])
/// } catch let failure as JSONAPIErrors {
///     for error in failure.errors { print(error.status ?? "", error.title ?? "") }
/// }
/// ```
public struct JSONAPIErrors: Error, Sendable {
    /// The errors in the order of the document.
    public let errors: [JSONAPIError]
}

extension JSONAPIErrors: CustomStringConvertible {
    /// A message that describes each error.
    public var description: String {
        let list = errors.map { "\($0)" }.joined(separator: "; ")
        let count = errors.count == 1 ? "an error" : "\(errors.count) errors"
        return "The server sent \(count)\(list.isEmpty ? "" : ": ")\(list)"
    }
}

/// An error object of a JSON:API document.
///
/// All members are optional, since a server can omit each of them.
public struct JSONAPIError: Error, Hashable, Sendable {
    /// An identifier of this occurrence of the problem.
    public let id: String?
    /// The HTTP status code.
    public let status: String?
    /// An application-specific code of the problem.
    public let code: String?
    /// A summary that is the same for all occurrences of the problem.
    public let title: String?
    /// An explanation of this occurrence of the problem.
    public let detail: String?
    /// The part of the request that caused the error.
    public let source: Source?

    /// The part of a request that caused an error.
    public struct Source: Hashable, Sendable, Decodable {
        /// A JSON pointer into the request's document.
        public let pointer: String?
        /// The query parameter.
        public let parameter: String?
        /// The name of the request's header.
        public let header: String?
    }
}

extension JSONAPIError: Decodable {
    private enum Key: CodingKey {
        case id, status, code, title, detail, source
    }

    /// Decodes an error object.
    ///
    /// Some servers send the identifier, the status and the code as numbers, although the format
    /// demands strings. The initializer accepts both.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: An error if the data isn't an object, or if a member has another type.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        func text(_ key: Key) throws -> String? {
            if let number = try? container.decode(Int.self, forKey: key) { return "\(number)" }
            if let number = try? container.decode(Double.self, forKey: key) { return "\(number)" }
            return try container.decodeIfPresent(String.self, forKey: key)
        }
        id = try text(.id)
        status = try text(.status)
        code = try text(.code)
        title = try container.decodeIfPresent(String.self, forKey: .title)
        detail = try container.decodeIfPresent(String.self, forKey: .detail)
        source = try container.decodeIfPresent(Source.self, forKey: .source)
    }
}

extension JSONAPIError: CustomStringConvertible {
    /// The status, the code, the title, the explanation and the source, as far as they are known.
    public var description: String {
        let place = source?.pointer ?? source?.parameter ?? source?.header
        let parts = [status, code, title, detail, place.map { "at \($0)" }].compactMap { $0 }
        return parts.isEmpty ? "an error without details" : parts.joined(separator: ", ")
    }
}
