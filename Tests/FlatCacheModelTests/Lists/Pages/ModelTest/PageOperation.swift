@testable import FlatCache
@testable import FlatCacheTestSupport

/// An operation on numbered lists that consist of pages.
indirect enum PageOperation {
    /// Merges values or references.
    case merge(list: Int, [Book.ID], asValues: Bool, after: String?, next: String?)
    /// Begins to request the next page, in place of an earlier request.
    case request(list: Int)
    /// Merges the page that answers the request, unless the list has changed.
    case answer(list: Int, [Book.ID], next: String?)
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
        case .merge(let list, let ids, let asValues, let cursor, let next):
            ids.shortened().map {
                .merge(list: list, $0, asValues: asValues, after: cursor, next: next)
            }
        case .answer(let list, let ids, let next):
            ids.shortened().map { .answer(list: list, $0, next: next) }
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
        case .merge(let list, let ids, let asValues, let cursor, let next):
            """
            \(list): merge \(asValues ? "values" : "references") \(ids) after \(cursor ?? "-"), \
            next \(next ?? "-")
            """
        case .request(let list): "\(list): request the next page"
        case .answer(let list, let ids, let next): "\(list): answer \(ids), next \(next ?? "-")"
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
