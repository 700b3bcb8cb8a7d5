@testable import FlatCache
@testable import FlatCacheTestSupport

// The checks of mapped rows, of several groups per element, and of numbers.
extension ProjectionSubject {
    static func mappedChecks(_ definition: QueryCase, _ query: CachedQuery<Book>) -> [Check] {
        let rows = query.map { BookRow($0, in: $1) }
        let expected: @Sendable (Expectation) -> [BookRow] = { expectation in
            expectation.elements.map { BookRow($0, in: expectation.cache) }
        }
        let mirror = RowsMirror(rows, isWindow: definition.isWindow)
        let sections = query.sections(by: \.year).map { BookRow($0, in: $1) }
        let expectedSections: @Sendable (Expectation) -> [QuerySection<Int, BookRow>] = {
            definition.mappedSections(in: $0.cache)
        }
        let sectionsMirror = MappedSectionsMirror(sections)
        return [
            check("rows", rows, expected).adding(
                observe: { mirror.observe(knowing: rows.value) },
                differenceOfCalls: { mirror.difference(expected($0)) }
            ),
            check("sections of rows", sections, expectedSections).adding(
                observe: { sectionsMirror.observe(knowing: sections.value) },
                differenceOfCalls: { sectionsMirror.difference(expectedSections($0)) }
            ),
        ]
    }

    static func numberChecks(_ query: CachedQuery<Book>) -> [Check] {
        [
            check("divisors", query.aggregate(.count, by: .each(\.divisors))) {
                $0.elements.reduce(into: [:]) { counts, book in
                    for divisor in Set(book.divisors) { counts[divisor, default: 0] += 1 }
                }
            },
            check(
                "ids of words",
                query.aggregate(.ids, by: .each { $0.words(in: $1) })
            ) { expectation in
                expectation.elements.reduce(into: [:]) { ids, book in
                    for word in Set(book.words(in: expectation.cache)) {
                        ids[word, default: []].append(book.id)
                    }
                }
            },
            check("least", query.aggregate(.min(of: \.fraction)), areSame: areSame) {
                let numbers = $0.elements.compactMap(\.fraction)
                return numbers.filter { !$0.isNaN }.min() ?? numbers.first
            },
            check("sum", query.aggregate(.sum(of: \.fraction)), areSame: areSame) {
                let numbers = $0.elements.compactMap(\.fraction)
                return numbers.isEmpty ? nil : numbers.reduce(0, +)
            },
            check(
                "greatest numbers",
                query.aggregate(.max(of: \.fraction), by: \.author),
                areSame: areSame
            ) {
                Dictionary(
                    grouping: $0.elements.filter { $0.author != nil },
                    by: { $0.author ?? Related("") }
                ).compactMapValues { books in
                    let numbers = books.compactMap(\.fraction)
                    return numbers.filter { !$0.isNaN }.max() ?? numbers.first
                }
            },
        ]
    }

    /// Returns whether two numbers are equal or both are NaN.
    private static let areSame: @Sendable (Double?, Double?) -> Bool = { first, second in
        first == second || (first?.isNaN ?? false) && (second?.isNaN ?? false)
    }
}

extension Book {
    /// The name of the author and the title, which may be equal.
    fileprivate func words(in cache: some ReadableCache) -> [String] {
        [author.flatMap { $0.value(in: cache)?.name }, title?.uppercased()].compactMap { $0 }
    }
}

extension QueryAggregate<Book, [Int]> {
    /// The identifiers in their order.
    fileprivate static var ids: QueryAggregate {
        QueryAggregate(of: { [$0.id] }, combining: +)
    }
}

extension QueryCase {
    var isWindow: Bool { offset > 0 || limit != nil }

    /// Returns the rows of the result by a filter and a sort of all values.
    func rows(in cache: any ReadableCache) -> [BookRow] {
        expected(in: cache).map { BookRow($0, in: cache) }
    }

    /// Returns the sections of rows by a sort of all values.
    func mappedSections(in cache: any ReadableCache) -> [QuerySection<Int, BookRow>] {
        sections(by: .year, in: cache) { book, _ in book.year }.map { section in
            QuerySection(
                key: section.key,
                elements: section.elements.map { BookRow($0, in: cache) }
            )
        }
    }
}
