#if Macros
/// A diagnostic of a macro, in relation to the source.
struct MacroDiagnosis: Equatable {
    let message: String
    /// The text from the diagnostic's place to the end of its line.
    let place: String
    /// The line of each proposed change, as it is after the change.
    let repaired: [String]

    init(_ message: String, at place: String, repaired: [String] = []) {
        self.message = message
        self.place = place
        self.repaired = repaired
    }

    init(_ diagnostic: MacroExpansion.Diagnostic, of source: String) {
        message = diagnostic.message
        place = Self.line(of: source.utf8.dropFirst(diagnostic.position.offset))
        repaired = diagnostic.fixIts.flatMap(\.changes).map { change in
            let bytes = source.utf8
            let start = bytes.index(bytes.startIndex, offsetBy: change.range.startOffset)
            let end = bytes.index(bytes.startIndex, offsetBy: change.range.endOffset)
            let before = bytes[..<start].reversed().prefix { $0 != UInt8(ascii: "\n") }
            let line = Self.line(of: before.reversed() + change.newText.utf8 + bytes[end...])
            return String(line.drop { $0 == " " })
        }
    }

    private static func line(of bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
#endif
