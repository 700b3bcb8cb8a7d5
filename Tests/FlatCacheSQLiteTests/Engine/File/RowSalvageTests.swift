import FlatCacheTesting
import Foundation
import TestSupport
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Random damage to files with pages of three sizes, from which the readable rows are copied.
struct RowSalvageTests {
    /// The part of the rows that a plain connection reads of which the test expects copies.
    private static let expectedPart = 0.99

    /// Damages a copy of a sample, copies its rows, and returns the first problem.
    private func problem(
        of sample: SalvageSample,
        _ damage: PageDamage,
        pages: Int,
        _ generator: inout SplitMix64
    ) throws -> String? {
        let folder = try GraphFolder()
        let bytes = damage.applied(
            to: sample.bytes,
            pages: pages,
            pageSize: sample.pageSize,
            &generator
        )
        try bytes.write(to: folder.url)
        let new = try Database(opening: ":memory:")
        defer { new.close() }
        try new.execute(SalvageSample.createTypes)
        let unreadable = try RowSalvage.copyRows(from: folder.url.path, to: new).unreadable
        try new.execute("ATTACH '\(sample.folder.url.path)' AS original")
        for (table, written) in sample.ids {
            let (copied, changed) = try copies(of: table, new, written)
            let problem = try problem(
                of: PlainRows(folder.url.path, table, keepingValuesOf: Set(changed.keys)),
                written,
                isNumber: table == "book",
                damage,
                pages: pages,
                copied,
                changed
            )
            if let problem { return "\(table): \(problem)" }
            if copied.count < written.count, unreadable.isEmpty, !damage.canHideRows {
                return "\(table): Rows are missing without a report."
            }
        }
        return nil
    }

    /// Compares copied rows with those that a plain connection reads.
    private func problem(
        of plain: PlainRows,
        _ written: [String],
        isNumber: Bool,
        _ damage: PageDamage,
        pages: Int,
        _ copied: Set<String>,
        _ changed: [String: [UInt8]]
    ) -> String? {
        var plain = plain
        defer { plain.close() }
        func missingRows() -> String? {
            let readable = plain.ids.intersection(written)
            let count = copied.intersection(readable).count
            if Double(count) >= Double(readable.count) * Self.expectedPart { return nil }
            return "Only \(count) of \(readable.count) readable rows were copied."
        }
        if isNumber { plain.read(continuingBehind: written) } else { plain.readFromEnds() }
        // A copied page can have greater identifiers than the rows behind it, which then seem read.
        if damage != .otherPages || pages < 10, let problem = missingRows() { return problem }
        plain.read(fromEachOf: written, isDescending: false)
        plain.read(fromEachOf: written, isDescending: true)
        // The rows of a page in another place aren't between the rows beside them.
        if damage != .otherPages, let problem = missingRows() { return "Thoroughly: \(problem)" }
        // Damage to a part of a page can give an identifier to a second row.
        if damage == .partOfPage { return nil }
        let wrong = changed.first { !plain.values[$0.key, default: []].contains($0.value) }
        return wrong.map { "The file contains no such value of \($0.key)." }
    }

    /// Returns the identifiers of the copied rows, and the values of those that differ from the
    /// original ones.
    private func copies(
        of table: String,
        _ database: Database,
        _ written: [String]
    ) throws -> (ids: Set<String>, changed: [String: [UInt8]]) {
        // If the definition of the table can't be read, the new file has no table.
        guard let all = try? database.statement("SELECT id FROM main.\(table)") else {
            return ([], [:])
        }
        var ids: Set<String> = []
        while try all.step() { ids.insert(all.text(0)) }
        let columns = "id, value, stored, stale, stamp, used"
        let difference = try database.statement(
            """
            SELECT * FROM (SELECT \(columns) FROM main.\(table) \
            EXCEPT SELECT \(columns) FROM original.\(table)) \
            WHERE id IN (SELECT id FROM original.\(table))
            """
        )
        var changed: [String: [UInt8]] = [:]
        while try difference.step() { changed[difference.text(0)] = Array(difference.bytes(1)) }
        return (ids.intersection(written), changed)
    }

    @Test(arguments: [1_024, 4_096, 16_384])
    func readableRowsAreCopied(pageSize: Int) throws {
        var samples: [SalvageSample.Shape: SalvageSample] = [:]
        try RandomTestSettings(seeds: 4).forEachSeed { seed in
            var generator = SplitMix64(seed: seed)
            for damage in PageDamage.allCases {
                let pages = generator.pick([1, 2, 10])
                let shape = generator.pick(SalvageSample.Shape.allCases)
                let sample = try samples[shape] ?? SalvageSample(shape, pageSize: pageSize)
                samples[shape] = sample
                let problem = try problem(of: sample, damage, pages: pages, &generator)
                guard let problem else { continue }
                return FailureReport(
                    seed: seed,
                    step: nil,
                    problem: "\(shape): \(damage) of \(pages) pages of \(pageSize): \(problem)"
                )
            }
            return nil
        }
    }

    @Test func rowsOfOneReadablePageBetweenSparseNumbersAreCopied() throws {
        let folder = try GraphFolder()
        let sql = TableStatements(name: "book", column: .integer, storesText: false)
        let database = try Database(opening: folder.url.path)
        try database.execute(
            """
            \(SalvageSample.createTypes);
            INSERT INTO flatcache_types VALUES ('book', 1, 'INTEGER');
            \(sql.create);
            INSERT INTO book SELECT value * 1000, zeroblob(200), 1, NULL, NULL, 1 \
            FROM (WITH RECURSIVE numbers (value) AS \
            (SELECT 1 UNION ALL SELECT value + 1 FROM numbers LIMIT 500) SELECT value FROM numbers)
            """
        )
        database.close()
        let original = try Data(contentsOf: folder.url)
        let pages = stride(from: 4096, to: original.count, by: 4096).filter { original[$0] == 13 }
        #expect(pages.count > 20)
        for readable in pages.indices.filter({ $0 % 5 == 3 }).map({ pages[$0] }) {
            var bytes = original
            for page in pages where page != readable {
                bytes.replaceSubrange(page..<page + 4096, with: Data(count: 4096))
            }
            try bytes.write(to: folder.url)
            let new = try Database(opening: ":memory:")
            defer { new.close() }
            try new.execute(SalvageSample.createTypes)
            _ = try RowSalvage.copyRows(from: folder.url.path, to: new)
            let count = try new.number("SELECT count(*) FROM book")
            // The number of a page's rows follows its type and the place of its first free part.
            #expect(count == Int64(original[readable + 3]) << 8 | Int64(original[readable + 4]))
        }
    }
}
