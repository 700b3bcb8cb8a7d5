@testable import FlatCache
@testable import FlatCacheTestSupport

/// A copy of a query's sections that the differences of its changes keep current.
final class SectionsMirror<Key: Hashable & Comparable & Sendable>: Sendable {
    typealias Sections = [QuerySection<Key, Book>]
    typealias Change = QuerySectionsChange<Key, Book, Book>

    private let sections: QuerySections<Key, Book, Book>
    private let changes = Recorder<Change>()
    private let known = Locked<Sections>([])

    init(_ sections: QuerySections<Key, Book, Book>) { self.sections = sections }

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
    ///
    /// - Parameters:
    ///   - expected: The expected sections.
    ///   - mayBeEmpty: A Boolean value that indicates whether the changes may consist of an empty
    ///     one, because the observer may have read the result of a commit during a first run.
    func difference(_ expected: Sections, mayBeEmpty: Bool = false) -> String? {
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
        if mayBeEmpty, old == expected, change.sections.isEmpty { return nil }
        let problem =
            changes.count > 1 ? "\(changes.count) changes" : difference(change, old, expected)
        return problem.map { "\($0) from \(old) to \(expected)" }
    }

    private func difference(_ change: Change, _ old: Sections, _ new: Sections) -> String? {
        if old == new { return "a superfluous change" }
        if change.oldKeys != old.map(\.key) { return "old keys \(change.oldKeys)" }
        if change.keys != new.map(\.key) { return "new keys \(change.keys)" }
        for section in old where change.oldIDs(ofSection: section.key) != section.ids {
            return "old elements \(change.oldIDs(ofSection: section.key))"
        }
        for section in new where change.ids(ofSection: section.key) != section.ids {
            return "new elements \(change.ids(ofSection: section.key))"
        }
        let isOrderEqual =
            old.map(\.key) == new.map(\.key) && old.map(\.ids) == new.map(\.ids)
        if change.hasNewOrder == isOrderEqual { return "hasNewOrder" }
        return differenceOfReplay(change, old, new) ?? differenceOfChangedIDs(change, old, new)
    }

    /// Applies a change to the old sections.
    private func differenceOfReplay(_ change: Change, _ old: Sections, _ new: Sections) -> String? {
        guard let keys = old.map(\.key).applying(change.difference) else {
            return "difference \(change.difference)"
        }
        if keys != new.map(\.key) { return "keys after the difference: \(keys)" }
        var ids = keys.map { key in old.first { $0.key == key }?.ids }
        for section in change.sections {
            let areIndices =
                old.indices.contains(section.oldIndex) && new.indices.contains(section.index)
                && ids.indices.contains(section.index)
            if !areIndices || old[section.oldIndex].key != section.key
                || new[section.index].key != section.key
            {
                return "section \(section.key as Any) from \(section.oldIndex) to \(section.index)"
            }
            if section.difference.isEmpty, section.changedIDs.isEmpty { return "an equal section" }
            ids[section.index] = ids[section.index]?.applying(section.difference)
        }
        for (section, ids) in zip(new, ids) where ids != section.ids {
            // An inserted section isn't among the sections of both states.
            if old.contains(where: { $0.key == section.key }) {
                return "elements of \(section.key as Any) after the difference: \(ids ?? [])"
            }
        }
        return nil
    }

    private func differenceOfChangedIDs(
        _ change: Change,
        _ old: Sections,
        _ new: Sections
    ) -> String? {
        for section in new {
            let before = old.first { $0.key == section.key }?.elements ?? []
            let changed = section.elements.filter { book in
                before.contains { $0.id == book.id && $0 != book }
            }
            let found = change.sections.first { $0.key == section.key }?.changedIDs ?? []
            if found != Set(changed.map(\.id)) {
                return "changed \(found) of section \(section.key as Any)"
            }
            if !found.isSubset(of: change.changedIDs) { return "changed \(change.changedIDs)" }
        }
        return nil
    }
}

extension QuerySection where Element == Book {
    fileprivate var ids: [Book.ID] { elements.map(\.id) }
}
