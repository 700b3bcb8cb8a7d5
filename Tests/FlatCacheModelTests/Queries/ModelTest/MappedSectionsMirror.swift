@testable import FlatCache
@testable import FlatCacheTestSupport

/// The sections of rows that an observer knows, with the changes since then.
final class MappedSectionsMirror<Key: Hashable & Comparable & Sendable>: Sendable {
    typealias Sections = [QuerySection<Key, BookRow>]
    typealias Change = QuerySectionsChange<Key, Book, BookRow>

    private let sections: QuerySections<Key, Book, BookRow>
    private let changes = Recorder<Change>()
    private let known = Locked<Sections>([])

    init(_ sections: QuerySections<Key, Book, BookRow>) { self.sections = sections }

    /// Begins an observation.
    ///
    /// - Parameter present: The present sections.
    func observe(knowing present: Sections) -> Disposable {
        known.withLock { $0 = present }
        changes.removeAll()
        return sections.observeChanges { [changes] in changes.append($0) }
    }

    /// Returns the description of the first difference between the changes since the last call and
    /// the expected sections.
    func difference(_ expected: Sections) -> String? {
        let old = known.withLock { known in
            defer { known = expected }
            return known
        }
        let changes = changes.all
        self.changes.removeAll()
        if sections.keys != expected.map(\.key) { return "keys \(sections.keys)" }
        for section in expected where sections[section.key] != section.elements {
            return "section \(section.key as Any): \(sections[section.key])"
        }
        guard let change = changes.first else {
            return old == expected ? nil : "no change from \(old) to \(expected)"
        }
        let problem =
            changes.count > 1 ? "\(changes.count) changes" : difference(change, old, expected)
        return problem.map { "\($0) from \(old) to \(expected)" }
    }

    private func difference(_ change: Change, _ old: Sections, _ new: Sections) -> String? {
        if old == new { return "a superfluous change" }
        if change.oldKeys != old.map(\.key) { return "old keys \(change.oldKeys)" }
        if change.keys != new.map(\.key) { return "new keys \(change.keys)" }
        if change.oldKeys.applying(change.difference) != change.keys { return "difference" }
        let isOrderEqual = old.map(\.key) == new.map(\.key) && old.map(\.ids) == new.map(\.ids)
        if change.hasNewOrder == isOrderEqual { return "hasNewOrder" }
        for section in old where change.oldIDs(ofSection: section.key) != section.ids {
            return "old rows of \(section.key as Any)"
        }
        for section in new {
            let key = section.key
            if change.ids(ofSection: key) != section.ids { return "new rows of \(key as Any)" }
            let rows = change.rows(ofSection: key)
            if rows != section.elements { return "rows \(rows) of \(key as Any)" }
            guard let before = old.first(where: { $0.key == key }) else { continue }
            let found = change.sections.first { $0.key == key }
            if found == nil, before != section { return "no change of \(key as Any)" }
            if let found, before.ids.applying(found.difference) != section.ids {
                return "difference of \(key as Any)"
            }
            let oldRows = Dictionary(uniqueKeysWithValues: before.elements.map { ($0.id, $0) })
            let changed = section.elements.filter { row in
                oldRows[row.id].map { $0 != row } ?? false
            }
            if found?.changedIDs ?? [] != Set(changed.map(\.id)) {
                return "changed \(found?.changedIDs ?? []) of \(key as Any)"
            }
        }
        return nil
    }
}

extension QuerySection where Element == BookRow {
    fileprivate var ids: [Book.ID] { elements.map(\.id) }
}
