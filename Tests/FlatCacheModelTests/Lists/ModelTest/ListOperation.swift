@testable import FlatCache
@testable import FlatCacheTestSupport

/// An operation on one of several numbered lists, or on the values that they share.
indirect enum ListOperation {
    case replace(list: Int, [Book])
    case append(list: Int, [Book])
    case insert(list: Int, Book, at: Int)
    case remove(list: Int, Book.ID)
    case move(list: Int, Book.ID, to: Int)
    case removeAll(list: Int)
    case setIDs(list: Int, [Book.ID])
    case reverse(list: Int)
    case setValue(Book)
    case removeValue(Book.ID)
    case removeEverything
    case prune
    /// Several operations in one batch, or in the closure that updates a list. If the closure
    /// throws inside an outer batch, the outer batch continues.
    case batch([ListOperation], isThrowing: Bool)
    case update(list: Int, [ListOperation], leaving: [Book.ID], isThrowing: Bool)
}

extension ListOperation: RandomOperation {
    var inside: [ListOperation] {
        switch self {
        case .batch(let operations, _), .update(_, let operations, _, _): operations
        default: []
        }
    }

    var simpler: [ListOperation] {
        switch self {
        case .replace(let list, let books): books.shortened().map { .replace(list: list, $0) }
        case .append(let list, let books): books.shortened().map { .append(list: list, $0) }
        case .setIDs(let list, let ids): ids.shortened().map { .setIDs(list: list, $0) }
        case .batch(let operations, let isThrowing):
            Self.shrunk(operations).map { .batch($0, isThrowing: isThrowing) }
                + (isThrowing ? [.batch(operations, isThrowing: false)] : [])
        case .update(let list, let operations, let ids, let isThrowing):
            Self.shrunk(operations).map {
                .update(list: list, $0, leaving: ids, isThrowing: isThrowing)
            }
        default: []
        }
    }

    var description: String {
        switch self {
        case .replace(let list, let books): "\(list): replace with \(Self.text(books))"
        case .append(let list, let books): "\(list): append \(Self.text(books))"
        case .insert(let list, let book, let index):
            "\(list): insert \(Self.text([book])) at \(index)"
        case .remove(let list, let id): "\(list): remove \(id)"
        case .move(let list, let id, let index): "\(list): move \(id) to \(index)"
        case .removeAll(let list): "\(list): remove all"
        case .setIDs(let list, let ids): "\(list): ids = \(ids)"
        case .reverse(let list): "\(list): reverse"
        case .setValue(let book): "set \(Self.text([book]))"
        case .removeValue(let id): "remove value \(id)"
        case .removeEverything: "remove everything"
        case .prune: "prune"
        case .batch(let operations, let isThrowing):
            "batch {\(Self.text(operations))\(isThrowing ? "; throw" : "")}"
        case .update(let list, let operations, let ids, let isThrowing):
            "\(list): update {\(Self.text(operations)); \(isThrowing ? "throw" : "leave \(ids)")}"
        }
    }

    private static func text(_ operations: [ListOperation]) -> String {
        operations.map(\.description).joined(separator: "; ")
    }

    private static func text(_ books: [Book]) -> String {
        let texts = books.map { book in
            let year = book.year.map { " of \($0)" } ?? ""
            return "\(book.id)\(year)\(book.sequel.map { " then \($0.id)" } ?? "")"
        }
        return "[\(texts.joined(separator: ", "))]"
    }
}
