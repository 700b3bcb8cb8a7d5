import FlatCache
import Foundation

/// The lines with which the observers of the tour report their notifications.
extension Output {
    /// Writes a line of a chapter, in two columns.
    func row(_ name: String, _ text: String) {
        line("    " + name.padding(toLength: 16, withPad: " ", startingAt: 0) + text)
    }

    private func row(_ screen: String, _ parts: [String]) {
        row(screen, parts.filter { !$0.isEmpty }.joined(separator: ", "))
    }

    /// Reports a change to an entity, or to an entity that it refers to.
    func notice<Value>(_ screen: String, _ change: EntityChange<Value>) {
        // The observed entity is itself a cause of its change; only the others add information.
        let others = Self.list(change.causes.subtracting([change.key]))
        row(screen, [change.kind.isRemoval ? "removed" : "\(change.kind)", others])
    }

    /// Reports a change to a list, or to one of its elements.
    func notice(_ screen: String, _ change: ListChange<Book>) {
        let event = change.hasNewOrder ? counted(change.ids.count, "book") : "related"
        row(screen, [event, Self.list(change.causes)])
    }

    /// Reports the orders that a screen shows.
    func notice(_ screen: String, _ orders: [Order]) {
        row(screen, orders.isEmpty ? "none" : orders.map(\.description).joined(separator: ", "))
    }

    /// Reports a commit's changes to all entities of a type.
    func notice(_ screen: String, _ commit: TypeChanges<Book>) {
        let kinds = [
            (commit.inserted, "inserted"), (commit.updated, "updated"), (commit.removed, "removed"),
        ]
        row(screen, kinds.filter { !$0.0.isEmpty }.map { "\($0.count) \($1)" })
    }

    /// Returns the first keys, in an order that doesn't depend on hashing, and the number of the
    /// others.
    private static func list(_ keys: Set<CacheKey>) -> String {
        let names = keys.map(\.description).sorted {
            $0.compare($1, options: .numeric) == .orderedAscending
        }
        let others = names.count > 3 ? " and \(names.count - 2) more" : ""
        let shown = names.prefix(others.isEmpty ? 3 : 2)
        return shown.isEmpty ? "" : "with " + shown.joined(separator: ", ") + others
    }
}
