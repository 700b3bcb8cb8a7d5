import Foundation

/// Where the tour writes, so that a test can read what a person would.
struct Output {
    /// Takes a line that a person came to see.
    let line: (String) -> Void

    /// Takes a report of something that went wrong.
    let problem: (String) -> Void

    /// The process's standard output and standard error.
    static var standard: Output {
        Output(
            line: { print($0) },
            problem: { FileHandle.standardError.write(Data(($0 + "\n").utf8)) }
        )
    }
}
