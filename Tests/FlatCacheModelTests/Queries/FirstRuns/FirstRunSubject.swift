import Testing
import TestSupport

@testable import FlatCache
@testable import FlatCacheTestSupport

/// A query that a thread runs for the first time, and that other threads observe meanwhile.
final class FirstRunSubject: @unchecked Sendable {
    // One thread at a time uses a subject. The thread of the run uses only constants.

    /// The result that is observed.
    enum Kind: CaseIterable { case elements, rows, sections, groups, divisors, count }

    let kind: Kind
    private let definition: QueryCase
    private let gate = Gate()
    private let query: CachedQuery<Book>
    private let rows: MappedQuery<Book, BookRow>
    private let sections: QuerySections<Int, Book, Book>
    private let groups: QueryGroups<Int, Int>
    private let divisors: QueryGroups<Int, Int>
    private let total: CachedProjection<Int?, ValueChange<Int?>>
    private let hold = Recorder<Disposable>()
    private var thread: RunningThread?
    private var observers: [Observer] = []

    private struct Observer {
        let token: Disposable
        /// Returns the difference of the changes since the last call from the expected ones.
        ///
        /// The first changes may be empty.
        let difference: (_ cache: Cache, _ isFirst: Bool) -> String?
        var isCompared = false
    }

    init(_ definition: QueryCase, _ kind: Kind, in cache: Cache) {
        self.definition = definition
        self.kind = kind
        let gate = gate
        query = definition.narrowing(
            cache.query(Book.self).where { _ in
                gate.pass()
                return true
            }
        )
        rows = query.map { BookRow($0, in: $1) }
        sections = query.sections(by: \.year)
        groups = query.aggregate(.count, by: \.year)
        divisors = query.aggregate(.count, by: .each(\.divisors))
        total = query.aggregate(.count)
    }

    /// Begins the run, which waits at its first entity.
    func begin() -> Bool {
        let thread = RunningThread { [self] in hold.append(keepCurrent()) }
        self.thread = thread
        guard blockUntil({ gate.isReached || thread.hasEnded }) else { return false }
        // Without entities, the run ends at once.
        if thread.hasEnded { gate.open() }
        return true
    }

    private func keepCurrent() -> Disposable {
        switch kind {
        case .elements: query.keepCurrent()
        case .rows: rows.keepCurrent()
        case .sections: sections.keepCurrent()
        case .groups: groups.keepCurrent()
        case .divisors: divisors.keepCurrent()
        case .count: total.keepCurrent()
        }
    }

    /// Lets the run end.
    func end() -> Bool {
        gate.open()
        return thread?.wait() ?? true
    }

    var hasEnded: Bool { thread?.hasEnded ?? false }

    func observe(in cache: Cache) {
        let definition = definition
        switch kind {
        case .elements:
            let mirror = QueryMirror(query)
            add(mirror.observe(knowing: definition.expected(in: cache))) {
                mirror.difference(definition.expected(in: $0), mayBeEmpty: $1)
            }
        case .rows:
            let mirror = RowsMirror(rows, isWindow: definition.isWindow)
            add(mirror.observe(knowing: definition.rows(in: cache))) {
                mirror.difference(definition.rows(in: $0), mayBeEmpty: $1)
            }
        case .sections:
            let mirror = SectionsMirror(sections)
            add(mirror.observe(knowing: definition.sections(in: cache))) {
                mirror.difference(definition.sections(in: $0), mayBeEmpty: $1)
            }
        case .groups:
            observe(groups, in: cache) { $0.year.map { [$0] } ?? [] }
        case .divisors:
            observe(divisors, in: cache) { Set($0.divisors) }
        case .count:
            let latest = Recorder<Int>()
            add(total.observe(initial: true) { latest.append($0 ?? 0) }) { cache, _ in
                let count = definition.expected(in: cache).count
                return latest.all.last == count ? nil : "\(latest.all) to \(count)"
            }
        }
    }

    private func observe(
        _ groups: QueryGroups<Int, Int>,
        in cache: Cache,
        _ keys: @escaping (Book) -> Set<Int>
    ) {
        let mirror = GroupsMirror(groups) { $0 == $1 }
        let definition = definition
        add(mirror.observe(knowing: definition.counts(in: cache, keys))) {
            mirror.difference(definition.counts(in: $0, keys), mayBeEmpty: $1)
        }
    }

    private func add(
        _ token: Disposable,
        _ difference: @escaping (_ cache: Cache, _ isFirst: Bool) -> String?
    ) {
        observers.append(Observer(token: token, difference: difference))
    }

    /// Ends all observations and the hold.
    func dispose() {
        endObservers(observers.count)
        for token in hold.all { token.dispose() }
        hold.removeAll()
    }

    /// Ends the oldest observations.
    func endObservers(_ count: Int) {
        for observer in observers.prefix(count) { observer.token.dispose() }
        observers.removeFirst(min(count, observers.count))
    }

    /// Returns the description of the first difference between the changes since the last call and
    /// the present elements.
    func difference(in cache: Cache) -> String? {
        for index in observers.indices {
            if let problem = observers[index].difference(cache, !observers[index].isCompared) {
                return "\(kind) of \(definition), observer \(index): \(problem)"
            }
            observers[index].isCompared = true
        }
        return nil
    }
}

extension QueryCase {
    fileprivate func sections(in cache: Cache) -> [QuerySection<Int, Book>] {
        sections(by: .year, in: cache) { book, _ in book.year }
    }

    fileprivate func counts(in cache: Cache, _ keys: (Book) -> Set<Int>) -> [Int: Int] {
        expected(in: cache).reduce(into: [:]) { counts, book in
            for key in keys(book) { counts[key, default: 0] += 1 }
        }
    }
}
