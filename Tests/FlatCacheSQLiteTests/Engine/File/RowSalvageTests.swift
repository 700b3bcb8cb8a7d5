import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Random damage to files with pages of three sizes, from which the readable rows are copied.
///
/// The tests compare the copied rows with the rows that a plain connection reads if it continues
/// after each unreadable row.
struct RowSalvageTests {
    private static let count = 3_000

    /// A kind of damage to some pages of a file.
    enum Damage: String, CaseIterable {
        case randomBytes, zeros, otherPages, partOfPage, truncation, shift
    }

    /// Returns the bytes of a file with books, authors with identifiers of text, and a list.
    private func original(pageSize: Int) async throws -> Data {
        let folder = try GraphFolder()
        let cache = Cache()
        let graph = try folder.graph()
        try await graph.attach(to: cache)
        let title = String(repeating: "t", count: 100)
        cache.set(
            contentsOf: (0..<Self.count).map { Book(id: $0 * ($0 < 2_000 ? 1 : 7), title: title) }
        )
        cache.set(contentsOf: (0..<Self.count).map { Author(id: "id \($0)", name: title) })
        // Some rows have overflow pages.
        let long = String(repeating: "l", count: 20_000)
        cache.set(contentsOf: (0..<5).map { Book(id: 400 * $0, title: long) })
        try await graph.detach()
        try await graph.suspend()
        let database = try Database(opening: folder.url.path)
        try database.execute(
            "PRAGMA journal_mode = DELETE; PRAGMA page_size = \(pageSize); VACUUM"
        )
        database.close()
        return try Data(contentsOf: folder.url)
    }

    private func damaged(
        _ original: Data,
        _ damage: Damage,
        pages count: Int,
        pageSize: Int,
        _ generator: inout SplitMix64
    ) -> Data {
        var bytes = original
        for _ in 0..<count {
            let pageCount = bytes.count / pageSize
            // The first page leads to all others.
            let start = generator.number(in: 1...pageCount - 1) * pageSize
            let page = start..<start + pageSize
            switch damage {
            case .randomBytes:
                bytes.replaceSubrange(page, with: page.map { _ in UInt8(generator.below(256)) })
            case .zeros: bytes.replaceSubrange(page, with: page.map { _ in 0 })
            case .otherPages:
                let other = generator.number(in: 1...pageCount - 1) * pageSize
                bytes.replaceSubrange(page, with: original[other..<other + pageSize])
            case .partOfPage:
                let part = page.dropFirst(generator.below(pageSize - 64)).prefix(64)
                bytes.replaceSubrange(part, with: part.map { _ in UInt8(generator.below(256)) })
            case .truncation:
                bytes.removeLast(min(pageSize, bytes.count - pageSize))
            case .shift:
                bytes.replaceSubrange(page, with: page.map { original[$0 - pageSize / 2] })
            }
        }
        return bytes
    }

    /// Returns the number of rows that a plain connection reads.
    private func readableRows(_ path: String, _ table: String, isNumber: Bool) throws -> Int {
        let database = try Database(opening: path)
        defer { database.abandon() }
        try database.execute("PRAGMA cell_size_check = OFF; PRAGMA writable_schema = ON")
        var ids: Set<String> = []
        let all = "SELECT * FROM \(table)"
        var next = -1
        let last = isNumber ? Self.count * 7 : 0
        for order in isNumber ? ["id"] : ["id", "id DESC"] {
            while true {
                let sql =
                    isNumber ? "\(all) WHERE id > \(next) ORDER BY id" : "\(all) ORDER BY \(order)"
                guard let select = try? database.statement(sql) else { return 0 }
                defer { select.reset() }
                do {
                    while try select.step() {
                        ids.insert(select.text(0))
                        if isNumber { next = max(next, Int(select.number(0))) }
                    }
                    break
                } catch {
                    next += 1
                    if next >= last { break }
                }
            }
        }
        return ids.count
    }

    private func compare(
        _ original: Data,
        _ damage: Damage,
        pages: Int,
        pageSize: Int,
        _ generator: inout SplitMix64
    ) throws -> String? {
        let folder = try GraphFolder()
        try damaged(original, damage, pages: pages, pageSize: pageSize, &generator).write(
            to: folder.url
        )
        let path = folder.url.path
        let copy = folder.file("copy.sqlite").path
        let new = try GraphFile.open(copy, lockTimeout: .zero).0
        let result = try RowSalvage.copyRows(from: path, to: new)
        for (table, isNumber) in [("book", true), ("author", false)] {
            let expected = try readableRows(path, table, isNumber: isNumber)
            let count = Int((try? new.number("SELECT count(*) FROM \(table)")) ?? 0)
            if Double(count) < Double(expected) * 0.99 {
                return """
                    \(count) of \(expected) rows of \(table) were copied; unreadable: \
                    \(result.unreadable)
                    """
            }
            if count < Self.count, result.unreadable.isEmpty, damage != .otherPages,
                damage != .partOfPage,
                damage != .shift
            {
                return "\(Self.count - count) rows of \(table) are missing without a report."
            }
        }
        return nil
    }

    @Test(arguments: [1_024, 4_096, 16_384])
    func readableRowsAreCopied(pageSize: Int) async throws {
        let original = try await original(pageSize: pageSize)
        try RandomTestSettings(seeds: 4).forEachSeed { seed in
            var generator = SplitMix64(seed: seed)
            for damage in Damage.allCases {
                for pages in [1, 2, 10] {
                    let problem = try compare(
                        original,
                        damage,
                        pages: pages,
                        pageSize: pageSize,
                        &generator
                    )
                    guard let problem else { continue }
                    return FailureReport(
                        seed: seed,
                        step: nil,
                        problem: "\(damage) of \(pages) pages of \(pageSize): \(problem)"
                    )
                }
            }
            return nil
        }
    }
}
