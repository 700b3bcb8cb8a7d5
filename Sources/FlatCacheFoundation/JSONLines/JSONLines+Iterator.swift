#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension JSONLines {
    /// An iterator that decodes one line after another.
    public struct Iterator: AsyncIteratorProtocol {
        private var source: Source.AsyncIterator
        private let decoder: JSONDecoder
        private let readLine: LineReader
        private var buffer = LineBuffer()
        private var lineNumber = 0
        private var isAtEnd = false

        init(source: Source.AsyncIterator, decoder: JSONDecoder, readLine: @escaping LineReader) {
            self.source = source
            self.decoder = decoder
            self.readLine = readLine
        }

        /// Decodes the next line that isn't empty.
        ///
        /// ## Concurrency
        /// The method reads from the source on the given actor, and decodes there.
        ///
        /// - Parameter actor: The actor that the caller is isolated to.
        /// - Returns: The value, or `nil` after the last line.
        /// - Throws: ``JSONLineError`` if the line can't be decoded, `CancellationError` if a
        ///   source of bytes or chunks ends while the task is cancelled, or the error of the
        ///   source.
        /// - Complexity: O(*n*) in the length of the line.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws -> Element? {
            if isAtEnd { return nil }
            // An error ends the sequence, too.
            isAtEnd = true
            while true {
                // Most lines are in the buffer, and need no asynchronous call.
                var next = buffer.takeLine()
                if next == nil { next = try await readLine(actor, &source, &buffer) }
                guard var line = next else { return nil }
                lineNumber += 1
                if lineNumber == 1 { line.removeByteOrderMark() }
                if line.isBlank { continue }
                let element = try decode(line)
                isAtEnd = false
                return element
            }
        }

        /// Decodes the next line that isn't empty.
        ///
        /// See ``next(isolation:)``.
        ///
        /// - Returns: The value, or `nil` after the last line.
        /// - Throws: ``JSONLineError`` if the line can't be decoded, `CancellationError` if a
        ///   source of bytes or chunks ends while the task is cancelled, or the error of the
        ///   source.
        public mutating func next() async throws -> Element? {
            try await next(isolation: nil)
        }

        private func decode(_ line: Data) throws -> Element {
            do {
                return try decoder.decodeNamed(Element.self, from: line)
            } catch {
                throw JSONLineError(
                    line: lineNumber,
                    elementType: Element.self,
                    underlyingError: error
                )
            }
        }
    }
}

extension Data {
    fileprivate mutating func removeByteOrderMark() {
        if starts(with: [0xEF, 0xBB, 0xBF]) { self = Data(dropFirst(3)) }
    }

    /// `true` if the line contains nothing but white space.
    ///
    /// The carriage return of a CRLF is white space, and JSON allows white space after a value.
    fileprivate var isBlank: Bool {
        // Most lines are decided by their first byte.
        withUnsafeBytes { $0.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A } }
    }
}

/// The bytes of a stream that have been read, and not yet been taken as lines.
@usableFromInline
struct LineBuffer {
    @usableFromInline static let newline = UInt8(ascii: "\n")

    @usableFromInline var bytes: [UInt8] = []
    /// The index of the first byte of the next line.
    private var start = 0
    /// The index up to which the next line contains no newline.
    private var searchedEnd = 0

    @usableFromInline
    init() {}

    /// Appends a byte that isn't a newline.
    @inlinable
    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    @inlinable
    mutating func append(contentsOf chunk: some Sequence<UInt8>) {
        removeTakenLines()
        bytes.append(contentsOf: chunk)
    }

    /// Removes and returns the next line without its newline, or returns `nil` if no newline
    /// follows.
    ///
    /// A byte is searched once, even if a line extends over many chunks.
    @usableFromInline
    mutating func takeLine() -> Data? {
        let found = bytes.withUnsafeBufferPointer {
            $0[searchedEnd...].firstIndex(of: Self.newline)
        }
        guard let end = found else {
            searchedEnd = bytes.count
            return nil
        }
        defer {
            start = end + 1
            searchedEnd = start
        }
        return Data(bytes[start..<end])
    }

    /// Removes and returns the rest of the bytes, or returns `nil` if there are none.
    @usableFromInline
    mutating func takeRest() -> Data? {
        guard start < bytes.count else { return nil }
        defer { removeAll() }
        return Data(bytes[start...])
    }

    /// Removes and returns all bytes, if any.
    @usableFromInline
    mutating func takeAll() -> Data {
        defer { removeAll() }
        return Data(bytes)
    }

    private mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        start = 0
        searchedEnd = 0
    }

    @usableFromInline
    mutating func removeTakenLines() {
        bytes.removeFirst(start)
        searchedEnd -= start
        start = 0
    }

    @usableFromInline
    static func line(_ text: String) -> Data { Data(text.utf8) }
}
