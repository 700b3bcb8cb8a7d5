import Foundation

@testable import FlatCacheSQLite

/// The rows of a damaged file's table that a plain connection reads.
struct PlainRows {
    private let database: Database
    private let table: String
    /// The identifiers whose values are kept.
    private let kept: Set<String>
    private(set) var ids: Set<String> = []
    /// The values that were read for some of the identifiers.
    private(set) var values: [String: Set<[UInt8]>] = [:]

    /// The number of successive known rows that ends a reading, since damaged pages can lead to the
    /// same rows again and again.
    private static let maximumRepetitions = 20

    init(_ path: String, _ table: String, keepingValuesOf kept: Set<String>) throws {
        database = try Database(opening: path)
        try database.execute("PRAGMA cell_size_check = OFF; PRAGMA writable_schema = ON; BEGIN")
        self.table = table
        self.kept = kept
    }

    /// Reads rows from both ends up to an unreadable one.
    mutating func readFromEnds() {
        read("ORDER BY id")
        read("ORDER BY id DESC")
    }

    /// Reads the rows from each identifier on that isn't known yet.
    mutating func read(fromEachOf written: [String], isDescending: Bool) {
        let condition = isDescending ? "<= ? ORDER BY id DESC" : ">= ? ORDER BY id"
        for id in isDescending ? written.reversed() : written where !ids.contains(id) {
            read("WHERE id \(condition)", id)
        }
    }

    private mutating func read(_ condition: String, _ id: String? = nil) {
        guard let select = try? database.statement("SELECT * FROM \(table) \(condition)") else {
            return
        }
        defer { select.reset() }
        if let id { select.bind(id, at: 1) }
        var repetitions = 0
        while repetitions < Self.maximumRepetitions, (try? select.step()) == true {
            let id = select.text(0)
            repetitions = ids.insert(id).inserted ? 0 : repetitions + 1
            if kept.contains(id) { values[id, default: []].insert(Array(select.bytes(1))) }
        }
    }

    func close() { database.abandon() }
}
