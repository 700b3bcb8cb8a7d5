import FlatCache

@testable import Bookshop

/// A collector of the tour's output from any thread.
final class CollectedOutput: Sendable {
    private let collected: Locked<(lines: [String], errors: [String])> = Locked(([], []))

    var output: Output {
        Output(
            line: { line in self.collected.withLock { $0.lines.append(line) } },
            error: { error in self.collected.withLock { $0.errors.append(error) } }
        )
    }

    var lines: [String] { collected.withLock { $0.lines } }

    var errors: [String] { collected.withLock { $0.errors } }

    /// The lines as the text of a file.
    var text: String { lines.map { $0 + "\n" }.joined() }
}
