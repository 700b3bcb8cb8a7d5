@testable import FlatCache
@testable import FlatCacheTestSupport

// The writes of others, and the notifications of all commits.
extension RequestModel {
    /// Performs the writes of one commit, and notifies the observers.
    mutating func commit(_ body: (inout RequestModel) -> Void) {
        let before = self
        body(&self)
        notify(since: before, written: [])
    }

    /// Writes as others do: the answers of all running calls must not undo it.
    mutating func write(_ key: Key, _ change: (inout RequestModel) -> Void) {
        change(&self)
        for call in running { calls[call].outdated.insert(key) }
    }

    mutating func removeAllBooks() {
        books = [:]
        for id in RequestModelBook.ids { write(.book(id)) { _ in } }
    }

    mutating func removeAll() {
        let keys = names.map(Key.response) + RequestModelBook.ids.map(Key.book) + [.list, .target]
        (stored, books, list, target) = ([:], [:], [], nil)
        for key in keys { write(key) { _ in } }
        for call in running { calls[call].isJoinable = false }
        for name in names where isObserved(name) { stop(name) }
    }

    /// Makes responses stale, as the last write of a commit.
    mutating func invalidate(_ invalidated: [String]) {
        for name in invalidated {
            write(.response(name)) { model in
                guard let entry = model.stored[name], entry.staleFrom ?? .max > model.now else {
                    return
                }
                model.stored[name]?.staleFrom = model.now
                model.stored[name]?.wasStoredStale = true
                model.stored[name]?.step = model.step
            }
            for call in running where calls[call].name == name { calls[call].isJoinable = false }
            guard isObserved(name) else { continue }
            switch progress(of: name).phase {
            case .loading: progress[name]?.wasInvalidated = true
            // The request is made at the end of the pause.
            case .limited: break
            case .idle, .failed, .failedAndPutOff:
                stop(name)
                load(name)
            }
        }
    }

    // MARK: Limits

    mutating func expire() {
        for (name, entry) in stored where entry.end <= now && !isObserved(name) {
            stored[name] = nil
            counts.add("expired")
        }
    }

    /// Returns whether a book may be evicted.
    func mayEvict(_ id: Int) -> Bool {
        !list.contains(id) && target != id && !isReached(id)
    }

    /// Returns whether an observed request contains a book.
    private func isReached(_ id: Int) -> Bool {
        stored.contains { isObserved($0.key) && $0.value.related.contains(id) }
    }

    /// Evicts a book, and the responses that contain it.
    mutating func evict(_ id: Int) {
        books[id] = nil
        for (name, entry) in stored where entry.related.contains(id) && !isObserved(name) {
            stored[name] = nil
        }
    }

    /// Removes everything that isn't in use.
    ///
    /// - Parameter isPruned: `true` if the list and the alias protect nothing, and are removed.
    mutating func removeUnused(isPruned: Bool) {
        for id in books.keys where isPruned ? !isReached(id) : mayEvict(id) { evict(id) }
        for name in names where !isObserved(name) { stored[name] = nil }
        if isPruned { (list, target) = ([], nil) }
    }

    // MARK: Notifications

    /// Adds the notifications of a commit to the events of the observers.
    ///
    /// - Parameters:
    ///   - before: The model before the commit.
    ///   - written: The names whose responses were stored by the commit.
    mutating func notify(since before: RequestModel, written: Set<String>) {
        let changedBooks = RequestModelBook.ids.filter { before.books[$0] != books[$0] }
        for index in observers.indices {
            let observer = observers[index]
            let (old, new) = (before.stored[observer.name], stored[observer.name])
            switch observer.kind {
            case .values, .changes:
                let isChanged =
                    old?.page != new?.page || !(new?.related.isDisjoint(with: changedBooks) ?? true)
                if !isChanged {
                    if written.contains(observer.name) { counts.add("equal") }
                    continue
                }
                if observer.kind == .changes {
                    observers[index].events.append(
                        "\(old.map { "\($0.page)" } ?? "-") -> \(new.map { "\($0.page)" } ?? "-")"
                    )
                } else if let new {
                    observers[index].events.append("\(new.page)")
                }
            case .note, .title:
                let (old, new) = (before.projection(observer), projection(observer))
                if old != new { observers[index].events.append(new) }
            }
        }
    }

    /// The value of a projection.
    func projection(_ observer: Observer) -> String {
        guard let page = stored[observer.name]?.page else { return "-" }
        if observer.kind == .note { return "\(page.note)" }
        return page.books.first.flatMap { books[$0] }.map { "\($0)" } ?? "-"
    }
}
