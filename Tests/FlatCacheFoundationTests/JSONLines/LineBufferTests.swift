import Foundation
import Testing

@testable import FlatCacheFoundation

struct LineBufferTests {
    /// Returns all lines that the buffer contains.
    private func lines(_ buffer: inout LineBuffer) -> [String] {
        var lines: [String] = []
        while let line = buffer.takeLine() { lines.append(String(decoding: line, as: UTF8.self)) }
        return lines
    }

    @Test func splitsChunksIntoLines() {
        var buffer = LineBuffer()
        #expect(lines(&buffer) == [])
        buffer.append(contentsOf: "ab\nc".utf8)
        #expect(lines(&buffer) == ["ab"])
        buffer.append(contentsOf: "d".utf8)
        #expect(lines(&buffer) == [])
        buffer.append(contentsOf: "e\n\n\nf\ng".utf8)
        #expect(lines(&buffer) == ["cde", "", "", "f"])
        #expect(buffer.takeRest() == Data("g".utf8))
        #expect(buffer.takeRest() == nil)
    }

    @Test func takesLinesBeforeAllAreRead() {
        var buffer = LineBuffer()
        buffer.append(contentsOf: "a\nb\nc".utf8)
        #expect(buffer.takeLine() == Data("a".utf8))
        buffer.append(contentsOf: "\nd\n".utf8)
        #expect(lines(&buffer) == ["b", "c", "d"])
        #expect(buffer.takeRest() == nil)
    }

    @Test func collectsSingleBytes() {
        var buffer = LineBuffer()
        for byte in "abc".utf8 { buffer.append(byte) }
        #expect(buffer.takeAll() == Data("abc".utf8))
        #expect(buffer.takeAll() == Data())
        buffer.append(UInt8(ascii: "d"))
        #expect(buffer.takeRest() == Data("d".utf8))
    }

    @Test(arguments: 0..<40)
    func findsANewlineAtAnyPlace(index: Int) {
        // Bytes that differ from a newline in one bit, or by one.
        let others: [UInt8] = [0x09, 0x0B, 0x8A, 0x00, 0x08, 0xFF]
        let bytes = (0..<index).map { others[$0 % others.count] }
        for suffix in 0..<10 {
            var buffer = LineBuffer()
            buffer.append(contentsOf: bytes + [0x0A] + [UInt8](repeating: 0x0B, count: suffix))
            #expect(buffer.takeLine() == Data(bytes))
            #expect(buffer.takeLine() == nil)
            #expect(buffer.takeRest()?.count ?? 0 == suffix)
        }
    }

    @Test func keepsOnlyTheRestOfAChunk() {
        var buffer = LineBuffer()
        for _ in 0..<100 {
            buffer.append(contentsOf: "0123456789\n0123456789\n01".utf8)
            _ = lines(&buffer)
            #expect(buffer.bytes.count <= 26)
        }
    }
}
