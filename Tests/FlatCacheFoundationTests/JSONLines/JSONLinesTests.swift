import FlatCache
import FlatCacheFoundation
import Foundation
import TestSupport
import Testing

struct JSONLinesTests {
    typealias Author = Library.Author

    let text = "{\"id\":\"a\",\"name\":\"Ä\"}\r\n\n  \t\r\n{\"id\":\"b\",\"name\":\"B\"}"
    let authors = [Author(id: "a", name: "Ä"), Author(id: "b", name: "B")]

    @Test(arguments: 1...25)
    func readsChunksOfAnySize(size: Int) async throws {
        for text in [text, text + "\n", text + "\r\n", "\u{FEFF}" + text] {
            let chunks = data(text).chunks(of: size)
            let ofBytes = JSONLines(of: Author.self, chunks: Chunks(chunks))
            #expect(try await ofBytes.all() == authors)
            let ofData = JSONLines(of: Author.self, chunks: Chunks(chunks.map { Data($0) }))
            #expect(try await ofData.all() == authors)
        }
    }

    @Test func readsBytes() async throws {
        for text in [text, text + "\n", "\u{FEFF}" + text] {
            let bytes = JSONLines(of: Author.self, bytes: Chunks(Array(text.utf8)))
            #expect(try await bytes.all() == authors)
        }
    }

    @Test func otherLineSeparatorsBelongToTheLine() async throws {
        let name = "A\u{2028}B\u{2029}C\u{85}D"
        let text = "{\"id\":\"a\",\"name\":\"\(name)\"}\n"
        let bytes = JSONLines(of: Author.self, bytes: Chunks(Array(text.utf8)))
        #expect(try await bytes.all().map(\.name) == [name])
        let chunks = JSONLines(of: Author.self, chunks: Chunks(data(text).chunks(of: 3)))
        #expect(try await chunks.all().map(\.name) == [name])
    }

    @Test func readsLines() async throws {
        let lines = [
            "\u{FEFF}{\"id\":\"a\",\"name\":\"Ä\"}", "", "{\"id\":\"b\",\"name\":\"B\"}\r",
        ]
        #expect(try await JSONLines(of: Author.self, lines: Chunks(lines)).all() == authors)
        let substrings = Chunks(lines.map { $0[...] })
        #expect(try await JSONLines(of: Author.self, lines: substrings).all() == authors)
        let ofData = Chunks(lines.map(data))
        #expect(try await JSONLines(of: Author.self, lines: ofData).all() == authors)
    }

    @Test(arguments: ["", "\n", "\r\n\r\n", "\u{FEFF}", "\u{FEFF}\n  "])
    func blankTextContainsNoValue(text: String) async throws {
        #expect(try await JSONLines(of: Author.self, bytes: Chunks(Array(text.utf8))).all() == [])
        let chunks = Chunks([Array(text.utf8)])
        #expect(try await JSONLines(of: Author.self, chunks: chunks).all() == [])
        #expect(try await JSONLines(of: Author.self, lines: Chunks([text])).all() == [])
    }

    @Test func sourceWithoutElementsContainsNoValue() async throws {
        #expect(try await JSONLines(of: Author.self, chunks: Chunks<Data>([])).all() == [])
        #expect(try await JSONLines(of: Author.self, lines: Chunks<String>([])).all() == [])
        #expect(try await JSONLines(of: Author.self, chunks: Chunks([Data()])).all() == [])
    }

    @Test func readsALineOfManyChunks() async throws {
        let name = String(repeating: "é", count: 1_000_000)
        let line = #"{"id": "a", "name": ""# + name + #""}"#
        let chunks = Chunks(data(line + "\n" + line).chunks(of: 1001))
        let authors = try await JSONLines(of: Author.self, chunks: chunks).all()
        #expect(authors.map(\.name) == [name, name])
    }

    @Test func decodesValuesOfAnyType() async throws {
        let lines = Chunks(["1", "-2", "\"three\""])
        let numbers = JSONLines(of: Int.self, lines: lines).makeAsyncIterator()
        var iterator = numbers
        #expect(try await iterator.next() == 1)
        #expect(try await iterator.next() == -2)
        await #expect(throws: JSONLineError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test func usesTheSettingsOfADecoder() async throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        let dates = JSONLines(of: Date.self, lines: Chunks(["1", "2"]), decoder: decoder)
        #expect(try await dates.all().map(\.timeIntervalSince1970) == [1, 2])
    }

    @Test(
        "An error names the line, the type and the coding path",
        arguments: [
            ("{\"id\":\"a\",\"name\":7}", 1, ["name"]),
            ("\n\r\n{\"id\":\"a\",\"name\":7}", 3, ["name"]),
            ("{\"id\":\"a\",\"name\":\"A\"}\n{\"id\":\"a\"}\n{}", 2, []),
            ("{\"id\":\"a\",\"name\":\"A\"} {}\n", 1, []),
            ("\n{\"id\":\"a\",\n\"name\":\"A\"}", 2, []),
            ("{\"id\":\"a\",\"name\":\"A\"}\n{\"id\":\"a\",\"name\"", 2, []),
        ]
    )
    func errors(text: String, line: Int, path: [String]) async throws {
        let error = try await #require(throws: JSONLineError.self) {
            try await JSONLines(of: Author.self, chunks: Chunks(data(text).chunks(of: 5))).all()
        }
        #expect(error.line == line)
        #expect(error.elementType == "Author")
        #expect(error.codingPath.map(\.stringValue) == path)
        #expect(error.underlyingError is DecodingError)
        #expect(error.description.hasPrefix("Line \(line) contains no valid Author"))
        #expect(path.allSatisfy { error.description.contains(".\($0)") })
    }

    @Test(
        "Malformed UTF-8 is an error",
        arguments: [[0xFF], [0xC3], [0xC3, 0x28], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]]
    )
    func malformedText(bytes: [UInt8]) async throws {
        let valid = data(#"{"id":"a","name":"A"}"#)
        let chunk =
            valid + data("\n{\"id\":\"b\",\"name\":\"") + Data(bytes) + data("\"}\n") + valid
        for size in [1, 7, 1000] {
            let lines = JSONLines(of: Author.self, chunks: Chunks(chunk.chunks(of: size)))
            let error = try await #require(throws: JSONLineError.self) { try await lines.all() }
            #expect(error.line == 2)
        }
    }

    @Test func errorOfTheSourceEndsTheSequence() async throws {
        let source = Chunks([data("1\n2\n3")], fails: true)
        var iterator = JSONLines(of: Int.self, chunks: source).makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        #expect(try await iterator.next() == 2)
        await #expect(throws: Chunks<Data>.Outage.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test func cancelledIterationDeliversNoPartOfALine() async throws {
        func numbers<Source: AsyncSequence>(
            in lines: JSONLines<Int, Source>
        ) async throws -> [Int] where Source: Sendable {
            let numbers = Recorder<Int>()
            let task = Task {
                for try await number in lines {
                    numbers.append(number)
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            return numbers.all
        }
        // The streams stay open, so the last line isn't complete.
        let (chunks, chunkContinuation) = AsyncStream.makeStream(of: Data.self)
        chunkContinuation.yield(data("1\n12345"))
        #expect(try await numbers(in: JSONLines(of: Int.self, chunks: chunks)) == [1])
        let (bytes, byteContinuation) = AsyncStream.makeStream(of: UInt8.self)
        for byte in data("1\n12345") { byteContinuation.yield(byte) }
        #expect(try await numbers(in: JSONLines(of: Int.self, bytes: bytes)) == [1])
    }
}
