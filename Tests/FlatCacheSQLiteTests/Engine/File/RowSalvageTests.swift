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
                damage,
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
        _ damage: PageDamage,
        _ copied: Set<String>,
        _ changed: [String: [UInt8]]
    ) -> String? {
        var plain = plain
        defer { plain.close() }
        plain.readFromEnds()
        let readable = plain.ids.intersection(written)
        let count = copied.intersection(readable).count
        if Double(count) < Double(readable.count) * Self.expectedPart {
            return "Only \(count) of \(readable.count) readable rows were copied."
        }
        plain.read(fromEachOf: written, isDescending: false)
        plain.read(fromEachOf: written, isDescending: true)
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
        let columns = "id, value, stored, stale, stamp, used, whole"
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
}
