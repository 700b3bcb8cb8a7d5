import Foundation

/// The destination of the tour's output, replaced in tests.
struct Output: Sendable {
    /// Writes a line of the tour.
    let line: @Sendable (String) -> Void

    /// Writes an error report.
    let error: @Sendable (String) -> Void

    /// The process's standard output and standard error.
    ///
    /// Each line is written at once, even into a pipe, where `print` would buffer several thousand
    /// bytes.
    static var standard: Output {
        Output(
            line: { write($0, to: .standardOutput) },
            error: { write($0, to: .standardError) }
        )
    }

    private static func write(_ line: String, to file: FileHandle) {
        // An error of standard output or standard error can't be reported.
        try? file.write(contentsOf: Data((line + "\n").utf8))
    }
}
