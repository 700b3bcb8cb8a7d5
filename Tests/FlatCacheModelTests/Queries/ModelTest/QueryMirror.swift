@testable import FlatCache
@testable import FlatCacheTestSupport

/// The elements of a query that its observer knows, with the changes since then.
final class QueryMirror: Sendable {
    private let query: CachedQuery<Book>
    private let changes = Recorder<QueryChange<Book>>()
    private let state = Locked<(known: [Book], version: UInt64)>(([], 0))

    init(_ query: CachedQuery<Book>) { self.query = query }

    /// The elements that the observer knows.
    var known: [Book] { state.withLock { $0.known } }

    /// Begins an observation.
    ///
    /// - Parameter elements: The present elements.
    func observe(knowing elements: [Book]) -> Disposable {
        state.withLock { $0 = (elements, query.core.clock.visibleVersion) }
        changes.removeAll()
        return query.observeChanges { [changes] in changes.append($0) }
    }

    /// Returns the description of the first difference between the changes since the last call and
    /// the expected elements.
    ///
    /// - Parameters:
    ///   - expected: The expected elements.
    ///   - mayBeEmpty: A Boolean value that indicates whether the changes may consist of an empty
    ///     one, because the observer may have read the result of a commit during a first run.
    func difference(_ expected: [Book], mayBeEmpty: Bool = false) -> String? {
        let version = query.core.clock.visibleVersion
        let (old, oldVersion) = state.withLock { state in
            defer { state = (expected, version) }
            return state
        }
        let changes = changes.all
        self.changes.removeAll()
        guard let change = changes.first else {
            return old == expected ? nil : "no change from \(old) to \(expected)"
        }
        if mayBeEmpty, old == expected, change.difference.isEmpty { return nil }
        let problem =
            changes.count > 1
            ? "\(changes.count) changes"
            : change.version <= oldVersion || change.version > version
                ? "version \(change.version)" : difference(change, old, expected)
        return problem.map { "\($0) from \(old) to \(expected)" }
    }

    private func difference(_ change: QueryChange<Book>, _ old: [Book], _ new: [Book]) -> String? {
        if old == new { return "a superfluous change" }
        let (oldIDs, ids) = (old.map(\.id), new.map(\.id))
        if change.oldIDs != oldIDs { return "old elements \(change.oldIDs)" }
        if change.ids != ids { return "new elements \(change.ids)" }
        if oldIDs.applying(change.difference) != ids { return "difference \(change.difference)" }
        if change.hasNewOrder != (ids != oldIDs) { return "hasNewOrder" }
        let updated = Set(
            new.filter { book in old.contains { $0.id == book.id && $0 != book } }.map(\.id)
        )
        // Inside a window, a row may enter because its value has changed.
        let window = query.live.definition.window
        let entered = window.isEverything ? [] : Set(ids).subtracting(oldIDs)
        if change.changedIDs.subtracting(entered) != updated {
            return "changed \(change.changedIDs)"
        }
        return nil
    }
}
