import FlatCache
import Foundation

/// The notification of a screen and its reason, in words.
struct ScreenNotice: Equatable, Sendable {
    let screen: String
    let reason: String

    /// Describes a change in words.
    init<Value>(screen: String, change: EntityChange<Value>) {
        self.screen = screen
        // The observed value is a cause of its own change; only the others add information.
        let others = Self.list(change.causes.subtracting([change.key]))
        reason =
            switch change.kind {
            case .inserted: others.map { "inserted, together with \($0)" } ?? "inserted"
            case .updated: others.map { "updated, together with \($0)" } ?? "updated"
            case .removed: "removed"
            case .expired: "stale"
            case .related: others.map { "related: \($0)" } ?? "related"
            }
    }

    /// Describes a change to a list in words.
    init(screen: String, change: ListChange<Book>) {
        self.screen = screen
        let others = Self.list(change.causes)
        reason =
            switch (change.hasNewOrder, others) {
            case (true, nil): "reordered"
            case (true, let others?): "reordered, together with \(others)"
            case (false, let others): others.map { "related: \($0)" } ?? "related"
            }
    }

    /// Returns the first keys, in an order that doesn't depend on hashing, and the number of the
    /// others.
    private static func list(_ keys: Set<CacheKey>) -> String? {
        let names = keys.map(\.description).sorted {
            $0.compare($1, options: .numeric) == .orderedAscending
        }
        guard names.count > 3 else {
            return names.isEmpty ? nil : names.joined(separator: ", ")
        }
        return "\(names[0]), \(names[1]) and \(names.count - 2) more"
    }
}
