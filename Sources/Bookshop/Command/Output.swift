import Foundation

/// Where the tour writes, so that a test can read what a person would.
struct Output: Sendable {
    /// Takes a line that a person came to see.
    let line: @Sendable (String) -> Void

    /// Takes a report of something that went wrong.
    let problem: @Sendable (String) -> Void

    /// The process's standard output and standard error.
    ///
    /// Each line is written at once, also into a pipe, where `print` would collect some thousands of
    /// bytes first.
    static var standard: Output {
        Output(
            line: { write($0, to: .standardOutput) },
            problem: { write($0, to: .standardError) }
        )
    }

    private static func write(_ line: String, to file: FileHandle) {
        // If nobody can be written to, there is nobody to tell either.
        try? file.write(contentsOf: Data((line + "\n").utf8))
    }
}
