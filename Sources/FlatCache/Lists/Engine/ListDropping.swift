/// The rewriter that drops removed entities from the lists of a type.
///
/// A removal also concerns lists if memory doesn't hold the entity, so the rewriter reads the
/// withdrawals of a commit instead of its changes.
final class ListDropping<Element: Identifiable & Sendable>: ElementDropping
where Element.ID: Sendable {
    private let isIncluded: @Sendable (String) -> Bool

    init(_ isIncluded: @escaping @Sendable (String) -> Bool) { self.isIncluded = isIncluded }

    func rewrite(_ commit: inout Commit) {
        let removals = commit.withdrawals.lazy.filter(\.isRemoval).map(\.scope)
        let removesAll = removals.contains { scope in
            switch scope {
            case .type(let type): type == Element.self
            // The removal of everything removes the lists, too. The present ones were stored later.
            case .entity, .requests, .all: false
            }
        }
        let removed = Set(removals.compactMap { $0.id(of: Element.self) })
            .filter { commit.value(Element.self, id: $0) == nil }
        guard removesAll || !removed.isEmpty else { return }
        for list in lists(in: commit) {
            let ids = list.ids.filter { id in
                removesAll ? commit.value(Element.self, id: id) != nil : !removed.contains(id)
            }
            if ids.count == list.ids.count { continue }
            commit.set(list.edited(to: ids, pinsElements: list.pinsElements))
            recordInJournal(list.id, in: commit.core)
        }
    }

    func dropRemoved(since lease: Lease, in core: CacheCore) {
        guard let lists = core.tables.existingTable(of: ListState<Element>.self),
            let table = core.tables.existingTable(of: Element.self)
        else { return }
        var written: [ListState<Element>] = []
        lists.forEachWrittenEntity(since: core.writer.committedVersion) { _, list in
            if let list { written.append(list) }
        }
        for list in written {
            let ids = core.withoutRemoved(list.ids, of: list.id, since: lease, in: table)
            guard ids.count < list.ids.count else { continue }
            _ = core.set(list.edited(to: ids, pinsElements: list.pinsElements))
        }
    }

    /// Lists a change to a list for the participant that makes the commit.
    ///
    /// If the participant imports a removal, its storage may still contain the list as it was.
    private func recordInJournal(_ name: String, in core: CacheCore) {
        guard let table = core.tables.existingTable(of: ListState<Element>.self),
            let journal = table.journal, core.writer.author == journal.participant,
            let entry = table.entryID(id: name, hash: table.hash(of: name))
        else { return }
        journal.recordStored(entry)
    }

    /// Returns the lists that drop removed elements.
    private func lists(in commit: Commit) -> [ListState<Element>] {
        var lists: [ListState<Element>] = []
        let table = commit.core.tables.existingTable(of: ListState<Element>.self)
        table?.layers?.uncoverAll()
        table?.forEachWrittenValue { name, list in
            if includes(name, in: commit.core) { lists.append(list) }
        }
        return lists
    }

    func includes(_ name: String, in core: CacheCore) -> Bool {
        core.writer.runUserCode("dropRemovedElements(of:fromLists:)", of: Element.self) {
            isIncluded(name)
        }
    }

    func needsRemovals(ofType type: ObjectIdentifier) -> Bool {
        type == ObjectIdentifier(Element.self)
    }
}

/// A rewriter that drops removed entities, whatever their type.
protocol ElementDropping: CommitRewriter {
    /// Drops the entities that were removed since a lease began from the lists that the open
    /// transaction has written.
    func dropRemoved(since lease: Lease, in core: CacheCore)
}

extension CacheCore {
    /// Adds a rewriter that drops removed entities, for as long as the cache exists.
    func drop<Element>(by dropping: ListDropping<Element>) {
        let number = nextRegistration()
        let registration = PendingRegistration(
            number: number,
            add: { [unowned self] _ in writer.participants.insert(dropping, for: number) }
        )
        register(registration, "init(configuration:)")
    }

    /// Returns the identifiers of a response without those of entities that were removed after the
    /// request, if the list drops removed entities.
    func withoutRemoved<Element: Identifiable & Sendable>(
        _ ids: [Element.ID],
        of list: String,
        since lease: Lease,
        in table: Table<Element>
    ) -> [Element.ID] where Element.ID: Sendable {
        guard let dropping = writer.participants.first(ListDropping<Element>.self),
            dropping.includes(list, in: self)
        else { return ids }
        return ids.filter { id in
            table.writtenValue(id: id) != nil || !isRemoved(id, from: table, since: lease)
        }
    }
}
