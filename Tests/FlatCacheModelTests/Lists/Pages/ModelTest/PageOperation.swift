@testable import FlatCache
@testable import FlatCacheTestSupport

/// An operation on numbered lists that consist of pages.
indirect enum PageOperation {
    /// Merges values or references.
    case merge(list: Int, NaivePage, asValues: Bool, after: String?)
    /// Begins to request the next or the previous page, in place of an earlier request.
    case request(list: Int, previous: Bool)
    /// Merges the page that answers the request, unless the list has changed.
    case answer(list: Int, NaivePage)
    /// Begins to reload the list, in place of an earlier reload.
    case reload(list: Int)
    /// Applies reloaded pages, unless the list has other pages than when the reload began.
    case finishReload(list: Int, [NaivePage])
    case replace(list: Int, [Book.ID])
    case removeAll(list: Int)
    case setIDs(list: Int, [Book.ID])
    case insert(list: Int, Book.ID, at: Int)
    case append(list: Int, [Book.ID])
    case remove(list: Int, Book.ID)
    case move(list: Int, Book.ID, to: Int)
    case reverse(list: Int)
    case removeEverything
    case batch([PageOperation], isThrowing: Bool)
}

extension PageOperation: RandomOperation {
    var inside: [PageOperation] {
        if case .batch(let operations, _) = self { operations } else { [] }
    }

    var simpler: [PageOperation] {
        switch self {
        case .merge(let list, let page, let asValues, let cursor):
            page.shortened().map { .merge(list: list, $0, asValues: asValues, after: cursor) }
        case .answer(let list, let page): page.shortened().map { .answer(list: list, $0) }
        case .finishReload(let list, let pages):
            pages.indices.flatMap { index in
                pages[index].shortened().map { page in
                    var simpler = pages
                    simpler[index] = page
                    return .finishReload(list: list, simpler)
                }
            } + (pages.count > 1 ? [.finishReload(list: list, pages.dropLast())] : [])
        case .replace(let list, let ids): ids.shortened().map { .replace(list: list, $0) }
        case .setIDs(let list, let ids): ids.shortened().map { .setIDs(list: list, $0) }
        case .append(let list, let ids): ids.shortened().map { .append(list: list, $0) }
        case .batch(let operations, let isThrowing):
            Self.shrunk(operations).map { .batch($0, isThrowing: isThrowing) }
                + (isThrowing ? [.batch(operations, isThrowing: false)] : [])
        default: []
        }
    }

    var description: String {
        switch self {
        case .merge(let list, let page, let asValues, let cursor):
            "\(list): merge \(asValues ? "values" : "references") \(page) after \(cursor ?? "-")"
        case .request(let list, let isPrevious):
            "\(list): request the \(isPrevious ? "previous" : "next") page"
        case .answer(let list, let page): "\(list): answer \(page)"
        case .reload(let list): "\(list): reload"
        case .finishReload(let list, let pages):
            "\(list): finish the reload with \(pages.map(\.description).joined(separator: "; "))"
        case .replace(let list, let ids): "\(list): replace with \(ids)"
        case .removeAll(let list): "\(list): remove all"
        case .setIDs(let list, let ids): "\(list): ids = \(ids)"
        case .insert(let list, let id, let index): "\(list): insert \(id) at \(index)"
        case .append(let list, let ids): "\(list): append \(ids)"
        case .remove(let list, let id): "\(list): remove \(id)"
        case .move(let list, let id, let index): "\(list): move \(id) to \(index)"
        case .reverse(let list): "\(list): reverse"
        case .removeEverything: "remove everything"
        case .batch(let operations, let isThrowing):
            """
            batch {\(operations.map(\.description).joined(separator: "; "))\
            \(isThrowing ? "; throw" : "")}
            """
        }
    }
}

/// A page in a random test.
struct NaivePage: Sendable, CustomStringConvertible {
    var ids: [Book.ID]
    var next: String?
    var isLast = false
    var startCursor: String?

    /// `true` if the page ends its list.
    var isEnd: Bool { isLast || next == nil }

    func page(asValues: Bool) -> ListPage<Book> {
        asValues
            ? ListPage(
                ids.map { Book(id: $0) },
                next: next,
                isLast: isLast,
                startCursor: startCursor
            )
            : ListPage(
                ids.map { Related($0) },
                next: next,
                isLast: isLast,
                startCursor: startCursor
            )
    }

    func shortened() -> [NaivePage] {
        ids.shortened().map {
            NaivePage(ids: $0, next: next, isLast: isLast, startCursor: startCursor)
        }
    }

    var description: String {
        "\(ids) next \(next ?? "-")\(isLast ? " (last)" : "") startCursor \(startCursor ?? "-")"
    }
}
