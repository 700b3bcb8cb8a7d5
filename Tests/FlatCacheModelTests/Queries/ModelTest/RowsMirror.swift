@testable import FlatCache
@testable import FlatCacheTestSupport

/// A row of a screen, with the name of the book's author.
struct BookRow: Equatable, Sendable {
    // Without the identifier, rows of different books could be equal.
    let id: Book.ID
    let title: String?
    let author: String?

    init(_ book: Book, in cache: some ReadableCache) {
        id = book.id
        title = book.title
        author = book.author.flatMap { $0.value(in: cache)?.name }
    }
}

/// The rows of a mapped query that its observer knows, with the changes since then.
final class RowsMirror: Sendable {
    private let rows: MappedQuery<Book, BookRow>
    private let isWindow: Bool
    private let changes = Recorder<MappedQueryChange<Book, BookRow>>()
    private let known = Locked<[BookRow]>([])

    /// Creates a mirror.
    ///
    /// - Parameters:
    ///   - rows: The mapped query.
    ///   - isWindow: A Boolean value that indicates whether the query has a limit or an offset.
    init(_ rows: MappedQuery<Book, BookRow>, isWindow: Bool) {
        self.rows = rows
        self.isWindow = isWindow
    }

    /// Begins an observation.
    ///
    /// - Parameter present: The present rows.
    func observe(knowing present: [BookRow]) -> Disposable {
        known.withLock { $0 = present }
        changes.removeAll()
        return rows.observeChanges { [changes] in changes.append($0) }
    }

    /// Returns the description of the first difference between the changes since the last call and
    /// the expected rows.
    ///
    /// - Parameters:
    ///   - expected: The expected rows.
    ///   - mayBeEmpty: A Boolean value that indicates whether the changes may consist of an empty
    ///     one, because the observer may have read the result of a commit during a first run.
    func difference(_ expected: [BookRow], mayBeEmpty: Bool = false) -> String? {
        let old = known.withLock { known in
            defer { known = expected }
            return known
        }
        let changes = changes.all
        self.changes.removeAll()
        if let problem = differenceOfReads(expected) { return problem }
        guard let change = changes.first else {
            return old == expected ? nil : "no change from \(old) to \(expected)"
        }
        if mayBeEmpty, old == expected, change.difference.isEmpty { return nil }
        let problem =
            changes.count > 1 ? "\(changes.count) changes" : difference(change, old, expected)
        return problem.map { "\($0) from \(old) to \(expected)" }
    }

    private func differenceOfReads(_ expected: [BookRow]) -> String? {
        if rows.ids != expected.map(\.id) { return "ids \(rows.ids)" }
        if rows.count != expected.count { return "count \(rows.count)" }
        if rows[1...2] != Array(expected.dropFirst().prefix(2)) { return "rows \(rows[1...2])" }
        for id in [0, 1, 13] {
            let index = expected.firstIndex { $0.id == id }
            if rows.index(ofID: id) != index { return "index of \(id)" }
            if rows.row(ofID: id) != index.map({ expected[$0] }) { return "row of \(id)" }
        }
        return nil
    }

    private func difference(
        _ change: MappedQueryChange<Book, BookRow>,
        _ old: [BookRow],
        _ new: [BookRow]
    ) -> String? {
        if old == new { return "a superfluous change" }
        let (oldIDs, ids) = (old.map(\.id), new.map(\.id))
        if change.oldIDs != oldIDs { return "old rows \(change.oldIDs)" }
        if change.ids != ids { return "new rows \(change.ids)" }
        if change.rows != new { return "rows \(change.rows)" }
        if change[...1] != Array(new.prefix(2)) { return "first rows \(change[...1])" }
        if oldIDs.applying(change.difference) != ids { return "difference \(change.difference)" }
        if change.hasNewOrder != (ids != oldIDs) { return "hasNewOrder" }
        let oldRows = Dictionary(uniqueKeysWithValues: old.map { ($0.id, $0) })
        let updated = Set(
            new.filter { row in oldRows[row.id].map { $0 != row } ?? false }.map(\.id)
        )
        // Inside a window, a row may enter because it has changed.
        let entered = isWindow ? Set(ids).subtracting(oldIDs) : []
        if change.changedIDs.subtracting(entered) != updated {
            return "changed \(change.changedIDs)"
        }
        return nil
    }
}
