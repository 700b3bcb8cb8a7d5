import Foundation

/// The first syntax error of a JSON text.
struct JSONSyntaxError: Error, Equatable {
    /// The line, counted from 1.
    let line: Int

    /// The column, counted from 1 in Unicode scalars.
    let column: Int
    let message: String

    /// Finds the first error of a text; the result is `nil` if the text is valid JSON in UTF-8.
    ///
    /// - Complexity: O(*n*) in the text's length.
    init?(firstIn data: Data) {
        var scanner = JSONSyntaxScanner(bytes: Array(data))
        do throws(JSONSyntaxScanner.Failure) {
            try scanner.scan()
            return nil
        } catch {
            let before = data.prefix(error.offset)
            line = 1 + before.count { $0 == UInt8(ascii: "\n") }
            let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
            let isContinuation = { (byte: UInt8) in byte & 0b1100_0000 == 0b1000_0000 }
            column = 1 + before[(lineStart ?? before.startIndex)...].count { !isContinuation($0) }
            message = error.message
        }
    }
}
