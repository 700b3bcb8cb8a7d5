import FlatCache

extension Tour {
    /// Closes all screens but the first, and removes the values that no screen shows.
    func prune() {
        output.line(
            "\nOnly the page of book 1 stays open, and the rest is pruned: Tour+Pruning.swift"
        )
        for screen in screens.dropFirst() {
            screen.dispose()
        }
        output.row("before", stock())
        let count = cache.pruneUnobservedValues()
        output.row("after", stock())
        output.row("removed", counted(count, "value") + ", counting lists and responses")
        let titles = pages.map { "\($0.key) is \($0.value?.title ?? "nil")" }
        output.row("handles", titles.joined(separator: ", "))
    }
}
