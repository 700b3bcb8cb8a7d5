@testable import FlatCache
@testable import FlatCacheTestSupport

// Operations that remove books which nothing needs.
extension QueryRun {
    /// Advances the clock, trims or prunes the cache, and checks that pinned books remain.
    mutating func removeUnneeded() -> String? {
        var pinnedIDs = Set(pins.keys)
        for subject in subjects where subject.isCurrent && subject.definition.pinsElements {
            pinnedIDs.formUnion(subject.definition.expected(in: cache).map(\.id))
            counts.add("pinned by a query")
        }
        if !pins.isEmpty { counts.add("pinned") }
        let remaining = pinnedIDs.intersection(cache.ids(of: Book.self))
        switch random(3) {
        case 0: passTime()
        case 1: trim()
        default:
            let count = cache.pruneUnobservedValues()
            if count > 0 { counts.add("pruned") }
            operations.append("prune \(count)")
        }
        let lost = remaining.subtracting(cache.ids(of: Book.self))
        return lost.isEmpty ? nil : "The pinned books \(lost) are gone."
    }

    /// Advances the clock, and removes the values that expire.
    mutating func passTime() {
        let seconds = random(6)
        clock.advance(by: .seconds(seconds))
        cache.expireValues()
        operations.append("wait \(seconds) s")
    }

    /// Removes some of the books.
    private mutating func trim() {
        // The commits of several types would cause several calls.
        let authors = cache.ids(of: Author.self).map { cache.pin(Author.self, id: $0) }
        let target = random(2) == 0 ? TrimTarget.fraction(0) : .fraction(0.5)
        let count = cache.trim(to: target)
        if count > 0 { counts.add("trimmed") }
        operations.append("trim \(count)")
        for pin in authors { pin.dispose() }
    }

    /// Begins or ends to pin a book.
    mutating func togglePin(_ id: Book.ID) {
        operations.append(pins[id] == nil ? "pin \(id)" : "unpin \(id)")
        if let pin = pins.removeValue(forKey: id) {
            pin.dispose()
        } else {
            pins[id] = cache.pin(Book.self, id: id)
        }
    }

    /// Stores all books of a run with many.
    mutating func fill() {
        operations.append("fill")
        let books = (0..<bookCount).map { book($0) }
        cache.performBatchUpdates { batch in for book in books { batch.replace(book) } }
    }
}
