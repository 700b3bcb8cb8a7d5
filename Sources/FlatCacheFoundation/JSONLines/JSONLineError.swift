/// An error that reports a line that couldn't be decoded.
///
/// An ingest wraps it in a `SequenceIngestionError` with the number of elements that are stored:
///
/// <!-- prelude: ingesting -->
/// ```swift
/// let lines = AsyncStream<String> { continuation in
///     continuation.yield(#"{"id": 1}"#)
///     continuation.finish()
/// }
/// do {
///     try await cache.ingest(contentsOf: JSONLines(of: Author.self, lines: lines))
/// } catch let error as SequenceIngestionError {
///     guard let lineError = error.underlyingError as? JSONLineError else { throw error }
///     print("Stored \(error.storedCount) authors. Line \(lineError.line) is malformed.")
/// }
/// ```
public struct JSONLineError: Error, Sendable {
    /// The number of the line, counted from one and including empty lines.
    public let line: Int
    /// The name of the type of the elements.
    public let elementType: String
    /// The path within the line to the data that couldn't be decoded.
    public let codingPath: [any CodingKey]
    /// The error of the decoder, a `DecodingError` in most cases.
    public let underlyingError: any Error

    init(line: Int, elementType: Any.Type, underlyingError: any Error) {
        self.line = line
        self.elementType = "\(elementType)"
        self.underlyingError = underlyingError
        codingPath = (underlyingError as? DecodingError)?.codingPath ?? []
    }
}

extension JSONLineError: CustomStringConvertible {
    /// A message that names the line, the type and the coding path.
    public var description: String {
        """
        Line \(line) contains no valid \(elementType)\(path.isEmpty ? "" : " at \(path)"): \
        \(underlyingError)
        """
    }

    private var path: String {
        codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
    }
}
