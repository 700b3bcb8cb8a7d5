import FlatCache

@testable import Bookshop

/// A collector of the tour's output from any thread.
final class CollectedOutput: Sendable {
    private let collected: Locked<(lines: [String], problems: [String])> = Locked(([], []))

    var output: Output {
        Output(
            line: { line in self.collected.withLock { $0.lines.append(line) } },
            problem: { problem in self.collected.withLock { $0.problems.append(problem) } }
        )
    }

    var lines: [String] { collected.withLock { $0.lines } }

    var problems: [String] { collected.withLock { $0.problems } }

    /// The lines as the text of a file.
    var text: String { lines.map { $0 + "\n" }.joined() }
}
