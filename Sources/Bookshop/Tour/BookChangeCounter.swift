import FlatCache
import Foundation

/// Counts insertions, updates and removals of all books, whether or not a screen shows them.
///
/// `@unchecked Sendable`: `lock` guards `counts`, and `observation` is set once, in the
/// initializer.
final class BookChangeCounter: @unchecked Sendable {
    /// The numbers of inserted, updated and removed books, and of commits.
    struct Counts: Equatable {
        var inserted = 0
        var updated = 0
        var removed = 0
        var commits = 0
    }

    private let lock = NSLock()
    private var counts = Counts()
    private var observation: Disposable?

    init(of cache: Cache) {
        observation = cache.observeAll(Book.self) { [weak self] in self?.count($0) }
    }

    private func count(_ commit: TypeChanges<Book>) {
        lock.withLock {
            counts.inserted += commit.inserted.count
            counts.updated += commit.updated.count
            counts.removed += commit.removed.count
            counts.commits += 1
        }
    }

    var current: Counts { lock.withLock { counts } }

    /// The counts in words.
    var summary: String {
        let counts = current
        return "\(counts.inserted) new, \(counts.updated) updated and \(counts.removed) removed, "
            + "in \(counts.commits) commits"
    }
}
