@testable import FlatCache
@testable import FlatCacheTestSupport

/// The projections of a query, with the values that their observers should know.
struct ProjectionSubject: Sendable {
    /// The naive result of the query, from which a check computes the expected value.
    struct Expectation {
        let elements: [Book]
        let cache: any ReadableCache
    }

    /// A projection in the words of a query and of a naive computation.
    struct Check: Sendable {
        let name: String
        /// Returns the description of the difference in a cache, a batch or a snapshot.
        let difference: @Sendable (Expectation) -> String?
        /// Begins an observation.
        let observe: @Sendable () -> Disposable
        /// Returns the description of a missed or superfluous notification since the last call.
        let differenceOfCalls: @Sendable (Expectation) -> String?

        /// Returns the check with an observation of changes.
        func adding(
            observe: @escaping @Sendable () -> Disposable,
            differenceOfCalls: @escaping @Sendable (Expectation) -> String?
        ) -> Check {
            Check(
                name: name,
                difference: difference,
                observe: {
                    let tokens = (self.observe(), observe())
                    return Disposable(stopping: tokens.0.dispose, tokens.1.dispose)
                },
                differenceOfCalls: { self.differenceOfCalls($0) ?? differenceOfCalls($0) }
            )
        }
    }

    private var checks: [Check]

    init(_ definition: QueryCase, of cache: Cache) {
        let query = definition.query(of: cache)
        checks = [
            Self.check("counts", query.aggregate(.count, by: \.author)) {
                $0.elements
                    .reduce(into: [:]) { if let author = $1.author { $0[author, default: 0] += 1 } }
            },
            Self.check("greatest", query.aggregate(.max(of: \.year), by: \.title)) {
                $0.elements.reduce(into: [:]) { greatest, book in
                    guard let title = book.title, let year = book.year else { return }
                    greatest[title] = max(greatest[title] ?? .min, year)
                }
            },
            Self.check("titles", query.aggregate(.titles)) {
                let titles = $0.elements.compactMap(\.title)
                return titles.isEmpty ? nil : titles.joined()
            },
            Self.check("lengths of names", query.aggregate(.nameLengths, by: \.fraction)) {
                expectation in
                expectation.elements.reduce(into: [:]) { lengths, book in
                    guard let name = book.authorName(in: expectation.cache),
                        let key = book.knownFraction
                    else { return }
                    lengths[key, default: 0] += name.count
                }
            },
            Self.check(
                "counts of names",
                query.aggregate(.count) { $0.authorName(in: $1) }
            ) { expectation in
                expectation.elements.reduce(into: [:]) { counts, book in
                    if let name = book.authorName(in: expectation.cache) {
                        counts[name, default: 0] += 1
                    }
                }
            },
            Self.check("sections", query.sections(by: \.year, .descending)) {
                definition.sections(by: .year, .descending, in: $0.cache) { book, _ in book.year }
            },
            Self.check("sections of names", query.sections { $0.authorName(in: $1) }) {
                definition.sections(by: .authorName, in: $0.cache) { $0.authorName(in: $1) }
            },
            Self.check("sections of numbers", query.sections(by: \.fraction)) {
                definition.sections(by: .knownFraction, in: $0.cache) { book, _ in
                    book.knownFraction
                }
            },
            Self.check("one book", cache.cached(Book.self, id: 3).map { BookRow($0, in: $1) }) {
                expectation in
                expectation.cache.get(Book.self, id: 3).map { BookRow($0, in: expectation.cache) }
            },
        ]
        checks += Self.mappedChecks(definition, query)
        checks += Self.numberChecks(query)
    }

    static func check<Output, Change>(
        _ name: String,
        _ projection: CachedProjection<Output, Change>,
        areSame: @escaping @Sendable (Output, Output) -> Bool,
        _ expected: @escaping @Sendable (Expectation) -> Output
    ) -> Check {
        let calls = Recorder<Output>()
        let known = Locked<Output?>(nil)
        return Check(
            name: name,
            difference: { expectation in
                let found = projection.value(in: expectation.cache)
                let expected = expected(expectation)
                return areSame(found, expected) ? nil : "\(found) instead of \(expected)"
            },
            observe: {
                known.withLock { $0 = projection.value }
                calls.removeAll()
                return projection.observe { calls.append($0) }
            },
            differenceOfCalls: { expectation in
                let value = expected(expectation)
                let old = known.withLock { known in
                    defer { known = value }
                    return known
                }
                let outputs = calls.all
                calls.removeAll()
                let isChanged = old.map { !areSame($0, value) } ?? true
                if outputs.count == (isChanged ? 1 : 0), outputs.allSatisfy({ areSame($0, value) })
                {
                    return nil
                }
                return "\(outputs) from \(old as Any) to \(value)"
            }
        )
    }

    static func check<Output: Equatable, Change>(
        _ name: String,
        _ projection: CachedProjection<Output, Change>,
        _ expected: @escaping @Sendable (Expectation) -> Output
    ) -> Check {
        check(name, projection, areSame: { $0 == $1 }, expected)
    }

    static func check<Key>(
        _ name: String,
        _ sections: QuerySections<Key, Book, Book>,
        _ expected: @escaping @Sendable (Expectation) -> [QuerySection<Key, Book>]
    ) -> Check {
        let mirror = SectionsMirror(sections)
        return check(name, sections as CachedProjection, expected).adding(
            observe: { mirror.observe(knowing: sections.value) },
            differenceOfCalls: { mirror.difference(expected($0)) }
        )
    }

    static func check<Key, Value>(
        _ name: String,
        _ groups: QueryGroups<Key, Value>,
        areSame: @escaping @Sendable (Value?, Value?) -> Bool = { $0 == $1 },
        _ expected: @escaping @Sendable (Expectation) -> [Key: Value]
    ) -> Check {
        let mirror = GroupsMirror(groups, areSame)
        let areAllSame: @Sendable ([Key: Value], [Key: Value]) -> Bool = { first, second in
            first.count == second.count && first.allSatisfy { areSame($1, second[$0]) }
        }
        return check(name, groups as CachedProjection, areSame: areAllSame, expected).adding(
            observe: { mirror.observe(knowing: groups.value) },
            differenceOfCalls: { mirror.difference(expected($0)) }
        )
    }

    func observe() -> [Disposable] { checks.map { $0.observe() } }

    func difference(_ elements: [Book], in cache: some ReadableCache) -> String? {
        first { $0.difference(Expectation(elements: elements, cache: cache)) }
    }

    func differenceOfCalls(_ elements: [Book], in cache: Cache) -> String? {
        first { $0.differenceOfCalls(Expectation(elements: elements, cache: cache)) }
    }

    private func first(_ difference: (Check) -> String?) -> String? {
        for check in checks {
            if let difference = difference(check) { return "\(check.name): \(difference)" }
        }
        return nil
    }
}

extension Book {
    fileprivate func authorName(in cache: some ReadableCache) -> String? {
        author.flatMap { $0.value(in: cache)?.name }
    }

    /// The number by which books are grouped: those without one and those whose number is NaN
    /// belong together.
    fileprivate var knownFraction: Double? { fraction.flatMap { $0.isNaN ? nil : $0 } }
}

extension QueryCase.Order {
    static let year = QueryCase.allOrders[0]
    fileprivate static let authorName = QueryCase.allOrders[3]
    fileprivate static let knownFraction = QueryCase.Order(
        name: "known number",
        sort: { $0.then(by: \.knownFraction, $1) },
        key: { book, _ in .number(book.knownFraction) }
    )
}

extension QueryCase {
    /// Returns the sections of the result by a sort of all values.
    func sections<Key>(
        by order: Order,
        _ direction: SortDirection = .ascending,
        in cache: any ReadableCache,
        key: (Book, any ReadableCache) -> Key?
    ) -> [QuerySection<Key, Book>] {
        var sectioned = self
        sectioned.orders.insert((order, direction), at: 0)
        var sections: [(key: Key?, books: [Book])] = []
        for book in sectioned.expected(in: cache) {
            let key = key(book, cache)
            if sections.isEmpty || sections[sections.count - 1].key != key {
                sections.append((key, []))
            }
            sections[sections.count - 1].books.append(book)
        }
        return sections.map { QuerySection(key: $0.key, elements: $0.books) }
    }
}

extension QueryAggregate<Book, Int> {
    /// The sum of the lengths of the authors' names.
    fileprivate static var nameLengths: QueryAggregate {
        QueryAggregate(of: { book, cache in book.authorName(in: cache)?.count }) { $0 + $1 }
    }
}

extension QueryAggregate<Book, String> {
    /// The titles one after the other, whose order matters.
    fileprivate static var titles: QueryAggregate {
        QueryAggregate(of: \.title) { $0 + $1 }
    }
}
