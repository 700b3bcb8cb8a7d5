import Foundation

extension Output {
    /// Runs a closure that uses a file; if the closure throws, reports the error and returns `nil`.
    func reportingErrors<Value>(with file: URL, _ body: () throws -> Value) -> Value? {
        do {
            return try body()
        } catch {
            self.error(FileError(file: file.lastPathComponent, error: error).description)
            return nil
        }
    }
}
