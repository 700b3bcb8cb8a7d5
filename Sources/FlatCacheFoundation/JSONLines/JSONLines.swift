#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An asynchronous sequence that decodes a value from each line of line-delimited JSON.
///
/// Line-delimited JSON is also known as NDJSON and as JSON Lines. Each line of the text is a JSON
/// value. Pass the sequence to an ingest. It stores the values in commits of limited size:
///
/// <!-- prelude: ingesting -->
/// ```swift
/// let download = AsyncStream<[UInt8]> { continuation in
///     continuation.yield(Array(#"{"id": 1, "title": "Tehanu", "#.utf8))
///     continuation.yield(Array(#""author": {"id": 7, "name": "Ursula K. Le Guin"}}"#.utf8))
///     continuation.finish()
/// }
/// let count = try await cache.ingest(
///     contentsOf: JSONLines(of: Book.self, chunks: download),
///     perCommit: 500
/// ) { storedCount in
///     print("\(storedCount) books")
/// }
/// print(count)  // 1
/// ```
///
/// An element is an entity, a `Related`, or any other `Decodable` value. Entities that are embedded
/// in the element are stored with it. The sequence takes bytes from its source only when it needs
/// them for the next line, so it never runs ahead of the commits. It holds one chunk, and the part
/// of a line that the earlier chunks have begun.
///
/// The formats are [JSON Lines](https://jsonlines.org) and
/// [NDJSON 1.0](https://github.com/ndjson/ndjson-spec): UTF-8, with lines that end in LF or CRLF.
/// The last line needs no end. The sequence skips empty lines, lines of spaces and tabs, and a byte
/// order mark at the beginning.
///
/// If a line can't be decoded, the sequence throws a ``JSONLineError`` that names the line, and
/// ends. If a stream of bytes or chunks ends because the task is cancelled, the sequence throws a
/// `CancellationError`, and drops the line that the stream has begun.
public struct JSONLines<Element: Decodable, Source: AsyncSequence>: AsyncSequence {
    /// A function that reads the bytes of the next line, without its newline.
    ///
    /// The initializers create it in the client, where the compiler knows the type of the source. A
    /// call for each byte would otherwise cost more than decoding the line.
    @usableFromInline
    typealias LineReader =
        @Sendable (isolated (any Actor)?, inout Source.AsyncIterator, inout LineBuffer)
        async throws -> Data?

    private let source: Source
    private let decoder: JSONDecoder
    private let readLine: LineReader

    @usableFromInline
    init(_ source: Source, _ decoder: JSONDecoder, readLine: @escaping LineReader) {
        self.source = source
        self.decoder = decoder
        self.readLine = readLine
    }

    /// Creates an iterator that begins with the first line that its source supplies.
    ///
    /// - Returns: The iterator.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source: source.makeAsyncIterator(), decoder: decoder, readLine: readLine)
    }
}

extension JSONLines: Sendable where Source: Sendable {}

// MARK: Sources

extension JSONLines {
    /// Creates a sequence of the values in a stream of bytes, such as `URLSession.AsyncBytes` or a
    /// URL's `resourceBytes` on Apple platforms.
    ///
    /// <!-- prelude: ingesting -->
    ///
    /// ```swift
    /// let bytes = AsyncStream<UInt8> { continuation in
    ///     for byte in #"{"id": 7, "name": "Ursula K. Le Guin"}"#.utf8 { continuation.yield(byte) }
    ///     continuation.finish()
    /// }
    /// for try await author in JSONLines(of: Author.self, bytes: bytes) { print(author.name) }
    /// ```
    ///
    /// If the source supplies chunks of bytes, ``init(of:chunks:decoder:)`` takes less time.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - bytes: The bytes.
    ///   - decoder: The decoder for all lines. Don't change it while the sequence is in use.
    @inlinable
    public init(of type: Element.Type, bytes: Source, decoder: JSONDecoder = JSONDecoder())
    where Source.Element == UInt8, Source.AsyncIterator: SendableType {
        self.init(bytes, decoder) { isolation, source, buffer in
            while let byte = try await source.next(isolation: isolation) {
                if byte == LineBuffer.newline { return buffer.takeAll() }
                buffer.append(byte)
            }
            // A stream may end early because the task is cancelled. Its rest can be a part of a
            // line that is a valid value, such as the first digits of a number.
            try Task.checkCancellation()
            return buffer.takeRest()
        }
    }

    /// Creates a sequence of the values in a stream of chunks, such as the parts of a response's
    /// body.
    ///
    /// A chunk can end anywhere, also within a line or a character.
    ///
    /// For example, the first chunk can be `{"id": 1}\n{"i` and the second one `d": 2}\n`.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - chunks: The chunks, such as `Data` or `[UInt8]`.
    ///   - decoder: The decoder for all lines. Don't change it while the sequence is in use.
    @inlinable
    public init(of type: Element.Type, chunks: Source, decoder: JSONDecoder = JSONDecoder())
    where
        Source.Element: Sequence<UInt8> & SendableType, Source.AsyncIterator: SendableType
    {
        self.init(chunks, decoder) { isolation, source, buffer in
            while true {
                if let line = buffer.takeLine() { return line }
                guard let chunk = try await source.next(isolation: isolation) else {
                    // See `init(of:bytes:decoder:)`.
                    try Task.checkCancellation()
                    return buffer.takeRest()
                }
                buffer.append(contentsOf: chunk)
            }
        }
    }

    /// Creates a sequence of the values in a stream of lines.
    ///
    /// <!-- prelude: ingesting -->
    ///
    /// ```swift
    /// let lines = AsyncStream<String> { continuation in
    ///     continuation.yield(#"{"id": 7, "name": "Ursula K. Le Guin"}"#)
    ///     continuation.finish()
    /// }
    /// try await cache.ingest(contentsOf: JSONLines(of: Author.self, lines: lines))
    /// ```
    ///
    /// A ``JSONLineError`` counts the elements of the stream.
    ///
    /// - Warning: Don't pass the `lines` of a URL or of other bytes. Foundation's
    ///   `AsyncLineSequence` leaves out empty lines, and it also ends a line at other characters
    ///   that JSON allows in strings, such as U+2028 and U+0085. Pass the bytes to
    ///   ``init(of:bytes:decoder:)``.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - lines: The lines.
    ///   - decoder: The decoder for all lines. Don't change it while the sequence is in use.
    @inlinable
    public init(of type: Element.Type, lines: Source, decoder: JSONDecoder = JSONDecoder())
    where
        Source.Element: StringProtocol & SendableType, Source.AsyncIterator: SendableType
    {
        self.init(lines, decoder) { isolation, source, _ in
            try await source.next(isolation: isolation).map { LineBuffer.line(String($0)) }
        }
    }

    /// Creates a sequence of the values in a stream of lines.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - lines: The lines.
    ///   - decoder: The decoder for all lines. Don't change it while the sequence is in use.
    @inlinable
    public init(of type: Element.Type, lines: Source, decoder: JSONDecoder = JSONDecoder())
    where Source.Element == Data, Source.AsyncIterator: SendableType {
        self.init(lines, decoder) { isolation, source, _ in
            try await source.next(isolation: isolation)
        }
    }
}

// A function that reads a source on any actor needs the source's conformances there. The standard
// library has the constraint since Swift 6.2.

#if compiler(>=6.2)
/// A type without actor-isolated conformances: `SendableMetatype`, or any type before Swift 6.2.
public typealias SendableType = SendableMetatype
#else
/// A type without actor-isolated conformances: `SendableMetatype`, or any type before Swift 6.2.
public typealias SendableType = Any
#endif
