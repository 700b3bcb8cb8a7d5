/// Commits that each cause a number of deliveries.
final class Deliveries {
    private let perCommit: Int
    private let calls: () -> Int
    private let commit: (Book<Int>) -> Void
    private let title = Texts.title(1)
    private var edition = 0

    /// Creates one side of a row.
    ///
    /// - Parameters:
    ///   - perCommit: The number of deliveries that each commit causes.
    ///   - calls: The number of deliveries so far.
    ///   - commit: Stores a book, whose identifier is 1, and returns after all deliveries.
    init(
        _ perCommit: Int,
        counting calls: @escaping @autoclosure () -> Int,
        commit: @escaping (Book<Int>) -> Void
    ) {
        self.perCommit = perCommit
        self.calls = calls
        self.commit = commit
    }

    /// Returns the nanoseconds per delivery.
    func measure(commits: Int) -> Double {
        let deliveries = commits * perCommit
        let before = calls()
        defer { Tally.check(calls(), is: before + deliveries) }
        return Stopwatch.nanoseconds(per: deliveries) {
            for _ in 0..<commits {
                edition += 1
                commit(Book(id: 1, title: title, pages: 0, copies: edition))
            }
        }
    }
}
