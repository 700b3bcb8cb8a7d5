@testable import Bookshop

/// Collects what the tour writes.
final class CollectedOutput {
    private(set) var lines: [String] = []
    private(set) var problems: [String] = []

    var output: Output {
        Output(line: { self.lines.append($0) }, problem: { self.problems.append($0) })
    }

    /// The lines as they would arrive in a file.
    var text: String { lines.map { $0 + "\n" }.joined() }
}
