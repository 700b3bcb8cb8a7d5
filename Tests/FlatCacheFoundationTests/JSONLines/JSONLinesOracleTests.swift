import FlatCache
import FlatCacheFoundation
import Foundation
import TestSupport
import Testing

/// Random line-delimited JSON, ingested into a cache and read by a naive reference.
struct JSONLinesOracleTests {
    typealias Author = Library.Author
    typealias Book = Library.Book

    private let settings = RandomTestSettings(seeds: 60)

    @Test("Ingesting random lines stores the entities of a naive reader")
    func randomLines() async throws {
        await settings.forEachSeed { seed in
            var generator = LineGenerator(seed: seed)
            let text = generator.text()
            let commitSize = generator.random.number(in: 1...7)
            let reference = LineReference(text, commitSize: commitSize)

            let cache = Cache()
            var failure: SequenceIngestionError?
            var count: Int?
            do {
                count = try await ingest(text, commitSize, into: cache, &generator.random)
            } catch {
                failure = error as? SequenceIngestionError
            }
            let lineError = failure?.underlyingError as? JSONLineError
            let problem: String? =
                if cache.values(of: Book.self).sorted(by: { $0.id < $1.id }) != reference.books {
                    "The books differ from \(reference.books)."
                } else if cache.values(of: Author.self).sorted(by: { $0.id < $1.id })
                    != reference.authors
                {
                    "The authors differ from \(reference.authors)."
                } else if lineError?.line != reference.malformedLine {
                    "The error is \(String(describing: failure))."
                } else if (failure?.storedCount ?? count) != reference.storedCount {
                    "The number of stored books isn't \(reference.storedCount)."
                } else {
                    nil
                }
            return problem.map {
                FailureReport(
                    seed: seed,
                    step: nil,
                    operations: [String(decoding: text, as: UTF8.self)],
                    problem: $0
                )
            }
        }
    }

    /// Ingests a text in one of the forms of a stream.
    private func ingest(
        _ text: [UInt8],
        _ commitSize: Int,
        into cache: Cache,
        _ random: inout SplitMix64
    ) async throws -> Int {
        if random.oneIn(4) {
            return try await cache.ingest(
                contentsOf: JSONLines(of: Book.self, bytes: Chunks(text)),
                perCommit: commitSize
            )
        }
        if random.oneIn(3) {
            return try await cache.ingest(
                contentsOf: JSONLines(of: Related<Book>.self, chunks: Chunks([text])),
                perCommit: commitSize
            )
        }
        var chunks: [Data] = []
        var rest = text[...]
        while !rest.isEmpty {
            let size = random.number(in: 0...min(rest.count, 40))
            chunks.append(Data(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return try await cache.ingest(
            contentsOf: JSONLines(of: Book.self, chunks: Chunks(chunks)),
            perCommit: commitSize
        )
    }
}

/// A generator of line-delimited JSON.
private struct LineGenerator {
    var random: SplitMix64

    init(seed: Seed) { random = SplitMix64(seed: seed) }

    mutating func text() -> [UInt8] {
        let count = random.below(20)
        // The position of a malformed line, if the text has one.
        let malformed = random.oneIn(3) ? random.below(20) : nil
        var text: [UInt8] = random.oneIn(4) ? [0xEF, 0xBB, 0xBF] : []
        for index in 0..<count {
            while random.oneIn(5) { text += random.pick(["\n", " \t\r\n", "\r\n"]).utf8 }
            if index == malformed {
                text += malformedLine()
            } else {
                text += book().utf8
            }
            if index < count - 1 || random.oneIn(2) { text += random.pick(["\n", "\r\n"]).utf8 }
        }
        return text
    }

    private mutating func book() -> String {
        var members = [
            "\"id\": \(random.below(8))", "\"title\": \"\(random.pick(["A", "ÄÖ", "😀", "\\n"]))\"",
        ]
        if random.oneIn(2) { members.append("\"year\": \(random.pick(["null", "1", "2"]))") }
        switch random.below(4) {
        case 0: members.append("\"author\": \"a\(random.below(4))\"")
        case 1: members.append("\"author\": {\"id\": \"a\(random.below(4))\"}")
        case 2:
            let id = random.below(4)
            members.append("\"author\": {\"id\": \"a\(id)\", \"name\": \"\(random.below(100))\"}")
        default: break
        }
        return "{\(members.joined(separator: ", "))}\(random.pick(["", " "]))"
    }

    private mutating func malformedLine() -> [UInt8] {
        let lines = [
            "{", "}", "[]", "{\"id\": 1}", "{\"id\": 1, \"title\": 1}",
            "{\"id\": 1, \"title\": \"A\", \"author\": {\"id\": \"a1\", \"name\": 1}}",
        ]
        return Array(random.pick(lines).utf8)
    }
}

/// A reader that splits the whole text as characters, reads each line as a property list, and
/// stores the values in dictionaries.
private struct LineReference {
    private struct Malformed: Error {}

    private(set) var books: [Library.Book] = []
    private(set) var authors: [Library.Author] = []
    private(set) var storedCount = 0
    private(set) var malformedLine: Int?

    init(_ text: [UInt8], commitSize: Int) {
        var string = String(decoding: text, as: UTF8.self)
        if string.hasPrefix("\u{FEFF}") { string.removeFirst() }
        let lines = string.replacingOccurrences(of: "\r\n", with: "\n")
            .components(separatedBy: "\n")
        var pending: [(Library.Book, Library.Author?)] = []
        var stored: [(Library.Book, Library.Author?)] = []
        for (index, line) in lines.enumerated() {
            if line.trimmingCharacters(in: .whitespaces).isEmpty { continue }
            do {
                pending.append(try Self.read(line))
            } catch {
                malformedLine = index + 1
                pending = []
                break
            }
            if pending.count == commitSize {
                stored += pending
                pending = []
            }
        }
        stored += pending
        storedCount = stored.count
        var booksByID: [Int: Library.Book] = [:]
        var authorsByID: [String: Library.Author] = [:]
        for (book, author) in stored {
            booksByID[book.id] = booksByID[book.id].map { Self.merged($0, book) } ?? book
            if let author { authorsByID[author.id] = author }
        }
        books = booksByID.values.sorted { $0.id < $1.id }
        authors = authorsByID.values.sorted { $0.id < $1.id }
    }

    private static func merged(_ old: Library.Book, _ new: Library.Book) -> Library.Book {
        var book = new
        if !new.$year.isKnown { book.$year = old.$year }
        if new.author == nil { book.author = old.author }
        return book
    }

    private static func read(_ line: String) throws -> (Library.Book, Library.Author?) {
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
        guard let members = object as? [String: Any], let id = members["id"] as? Int,
            let title = members["title"] as? String
        else { throw Malformed() }
        var book = Library.Book(id: id, title: title)
        if let year = members["year"] { book.year = year as? Int }
        var author: Library.Author?
        if let id = members["author"] as? String {
            book.author = Related(id)
        } else if let embedded = members["author"] as? [String: Any] {
            guard let id = embedded["id"] as? String else { throw Malformed() }
            book.author = Related(id)
            if let name = embedded["name"] {
                guard let name = name as? String else { throw Malformed() }
                author = Library.Author(id: id, name: name)
            }
        }
        return (book, author)
    }
}
