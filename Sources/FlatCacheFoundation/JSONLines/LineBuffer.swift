#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

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
