import FlatCache
import TestSupport

@testable import FlatCacheSQLiteTestSupport

/// The reference of a list in the model test of graphs.
struct NaiveList: Equatable {
    var ids: [Int] = []
    var next = NextPage.unknown

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
    case firstPage([Int], next: String)
    /// A page that follows the last one, if its cursor is known.
    case nextPage([Int], next: String?)

    var description: String {
        switch self {
        case .replace(let ids): "replace with \(ids)"
        case .append(let id): "append \(id)"
        case .remove(let id): "remove \(id)"
        case .firstPage(let ids, let next): "first page \(ids), next \(next)"
        case .nextPage(let ids, let next): "next page \(ids), next \(next ?? "none")"
        }
    }

    /// Performs the edit on a list of a batch.
    func perform(on list: CachedList<Profile>) throws {
        switch self {
        case .replace(let ids): list.replace(withIDs: ids)
        case .append(let id): list.update { if !$0.contains(id) { $0.append(id) } }
        case .remove(let id): list.remove(id)
        case .firstPage(let ids, let next):
            try list.merge(ids.map { Related<Profile>($0) }, after: nil, next: next)
        case .nextPage(let ids, let next):
            guard let cursor = list.next.cursor else { return }
            try list.merge(ids.map { Related<Profile>($0) }, after: cursor, next: next)
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
        case .firstPage(let ids, let next):
            list = NaiveList()
            list.append(ids)
            list.next = .after(next)
        case .nextPage(let ids, let next):
            guard list.next.cursor != nil else { return }
            list.append(ids)
            list.next = next.map { .after($0) } ?? .end
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
        case 3: return .firstPage(ids, next: "cursor \(step)")
        default:
            return .nextPage(ids, next: generator.oneIn(6) ? nil : "cursor \(generator.next())")
        }
    }
}
