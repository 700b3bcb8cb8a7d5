import Foundation

extension Output {
    /// Does something with a file; if that throws, reports why, and returns nil.
    func reportingProblems<Value>(with file: URL, _ body: () throws -> Value) -> Value? {
        do {
            return try body()
        } catch {
            problem(FileProblem(file: file, error: error).description)
            return nil
        }
    }
}
