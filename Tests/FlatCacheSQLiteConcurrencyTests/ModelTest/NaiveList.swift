import FlatCache
import TestSupport

@testable import FlatCacheSQLiteTestSupport

/// The reference of a list in the model test of graphs.
struct NaiveList: Equatable {
    var ids: [Int] = []
    var next = NextPage.unknown
    var startCursor: String?
    /// The cursor with which rows after the last element are requested.
    var lastCursor: String?

    /// Appends identifiers that the list lacks.
    mutating func append(_ new: [Int]) {
        for id in new where !ids.contains(id) { ids.append(id) }
    }
}

/// The edit of a list in the model test of graphs.
enum ListEdit: CustomStringConvertible, Sendable {
    case replace([Int])
    case append(Int)
    case remove(Int)
    case firstPage([Int], next: String, startCursor: String?)
    /// A page that follows the last one, if its cursor is known.
    case nextPage([Int], next: String?, isLast: Bool)

    var description: String {
        switch self {
        case .replace(let ids): "replace with \(ids)"
        case .append(let id): "append \(id)"
        case .remove(let id): "remove \(id)"
        case .firstPage(let ids, let next, let startCursor):
            "first page \(ids), next \(next), startCursor \(startCursor ?? "none")"
        case .nextPage(let ids, let next, let isLast):
            "next page \(ids), next \(next ?? "none")\(isLast ? ", the last one" : "")"
        }
    }

    /// Performs the edit on a list of a batch.
    ///
    /// - Parameter cursor: The cursor of the list's last page.
    func perform(on list: CachedList<Profile>, after cursor: String?) throws {
        switch self {
        case .replace(let ids): list.replace(withIDs: ids)
        case .append(let id): list.update { if !$0.contains(id) { $0.append(id) } }
        case .remove(let id): list.remove(id)
        case .firstPage(let ids, let next, let startCursor):
            let page = ListPage<Profile>(
                ids.map { Related($0) },
                next: next,
                startCursor: startCursor
            )
            try list.merge(page, after: nil)
        case .nextPage(let ids, let next, let isLast):
            guard let cursor else { return }
            let page = ListPage<Profile>(ids.map { Related($0) }, next: next, isLast: isLast)
            try list.merge(page, after: cursor)
        }
    }

    /// Performs the edit on the reference.
    func perform(on list: inout NaiveList) {
        switch self {
        case .replace(let ids):
            list = NaiveList()
            list.append(ids)
        case .append(let id): list.append([id])
        case .remove(let id): list.ids.removeAll { $0 == id }
        case .firstPage(let ids, let next, let startCursor):
            list = NaiveList()
            list.append(ids)
            list.next = .after(next)
            list.lastCursor = next
            list.startCursor = startCursor
        case .nextPage(let ids, let next, let isLast):
            guard list.lastCursor != nil else { return }
            list.append(ids)
            list.next = isLast ? .end : next.map { .after($0) } ?? .end
            list.lastCursor = next
        }
    }
}

extension ListEdit {
    /// Returns a random edit.
    static func random(_ generator: inout SplitMix64, step: Int) -> ListEdit {
        let ids = (0..<generator.below(5)).map { _ in generator.below(30) }
        switch generator.below(6) {
        case 0: return .replace(ids)
        case 1: return .append(generator.below(30))
        case 2: return .remove(generator.below(30))
        case 3:
            let startCursor = generator.oneIn(2) ? nil : "start \(step)"
            return .firstPage(ids, next: "cursor \(step)", startCursor: startCursor)
        default:
            let next = generator.oneIn(6) ? nil : "cursor \(generator.next())"
            return .nextPage(ids, next: next, isLast: generator.oneIn(4))
        }
    }
}
