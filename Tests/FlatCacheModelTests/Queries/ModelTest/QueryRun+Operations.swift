import TestSupport

@testable import FlatCache
@testable import FlatCacheTestSupport

// The operations of a run.
extension QueryRun {
    /// Begins or ends to observe a query or to keep it current.
    mutating func toggle(_ subject: QuerySubject) {
        operations.append(random(3) == 0 ? subject.toggleHold() : subject.toggle(in: cache))
    }

    /// Begins or ends to observe a query or to keep it current on another thread, in the middle of
    /// this thread's commit.
    private mutating func toggleDuringCommit(_ subject: QuerySubject) {
        counts.add("first run during a commit")
        let isHold = random(3) == 0
        let operation = Recorder<String>()
        let thread = RunningThread { [cache] in
            operation.append(isHold ? subject.toggleHold() : subject.toggle(in: cache))
        }
        guard thread.wait() else { return operations.append("  a thread didn't end") }
        operations += operation.all.map { "  on another thread: \($0)" }
    }

    /// Stores some books, with a partial value of another one.
    mutating func ingest() {
        counts.add("ingest")
        let books = (0..<random(4)).map { _ in book(random(bookCount)) }
        let partial = Book(id: random(bookCount), year: random(12))
        operations.append("ingest \(books + [partial])")
        _ = cache.ingest { books + [partial] }
    }

    mutating func write(to cache: some QueryRunTarget) -> String {
        let id = random(bookCount)
        switch random(46) {
        case 0..<30:
            let book = book(id)
            cache.replace(book)
            return "replace \(book)"
        case 30, 31:
            cache.update(Book.self, id: id) { $0.year = ($0.year ?? 0) + 1 }
            return "update \(id)"
        case 32, 33:
            cache.remove(Book.self, id: id)
            return "remove \(id)"
        case 34, 35, 36:
            let author = Author(id: "\(random(4))", name: ["A", "B", "C"][random(3)])
            cache.set(author)
            return "set \(author)"
        case 37:
            cache.remove(Author.self, id: "\(random(4))")
            return "remove author"
        case 39, 40:
            cache.featuredBook.target = random(3) == 0 ? nil : id
            return "feature \(id)"
        case 41, 42:
            cache.invalidate(Book.self, id: id)
            return "invalidate \(id)"
        case 43:
            let shelf = cache.list("shelf", of: Book.self)
            let ids = [id, (id + 1) % bookCount].prefix(random(3))
            shelf.replace(withIDs: ids)
            return "shelf \(ids)"
        case 44:
            cache.set(contentsOf: [Book(id: id, title: "b"), Book(id: id, year: random(12))])
            return "set \(id) twice"
        case 38:
            cache.removeAll(Book.self)
            return "remove all books"
        default:
            cache.removeAll()
            return "remove all"
        }
    }

    mutating func book(_ id: Int) -> Book {
        Book(
            id: id,
            title: [nil, "a", "b", "é", "e\u{301}z", "Z"][random(6)],
            year: random(5) == 0 ? nil : random(12),
            author: random(4) == 0 ? nil : "\(random(4))",
            sequel: random(3) == 0 ? random(bookCount) : nil
        )
    }

    /// Writes in a batch, parts of which are rolled back.
    mutating func batch() -> String? {
        counts.add("batch")
        let isRolledBack = random(4) == 0
        operations.append("batch\(isRolledBack ? ", rolled back" : "")")
        var problem: String?
        var run = self
        try? cache.performBatchUpdates { batch in
            for _ in 0..<run.random(6) {
                if run.random(8) == 0 {
                    run.toggleDuringCommit(run.subjects[run.random(run.subjects.count)])
                } else if run.random(4) == 0 {
                    run.operations.append("  savepoint, rolled back")
                    try? run.cache.performBatchUpdates { batch in
                        for _ in 0..<3 { run.operations.append("    " + run.write(to: batch)) }
                        problem = problem ?? run.difference(in: batch)
                        throw CancellationError()
                    }
                } else {
                    run.operations.append("  " + run.write(to: batch))
                }
                problem = problem ?? run.difference(in: batch)
            }
            if isRolledBack {
                run.counts.add("rolled back")
                throw CancellationError()
            }
        }
        self = run
        return problem
    }

    /// Writes while a snapshot is open, which must show the old results.
    mutating func writeUnderSnapshot() -> String? {
        var run = self
        let problem: String? = cache.withSnapshot { snapshot in
            run.operations.append("under a snapshot: " + run.write(to: run.cache))
            return run.difference(in: snapshot)
        }
        self = run
        return problem
    }
}

/// A cache or a batch.
protocol QueryRunTarget: CacheType {
    func invalidate<Value: Identifiable & Sendable>(_ type: Value.Type, id: Value.ID)
    where Value.ID: Sendable
}

extension Cache: QueryRunTarget {}
extension CacheBatch: QueryRunTarget {}
