import Foundation
import Testing

@testable import Bookshop

@Suite("JSON syntax errors")
struct JSONSyntaxErrorTests {
    @Test(
        "Valid JSON has none",
        arguments: [
            "0", "-1.5e+10", "1E-2", "null", " true ", "\"\"", "[]", "{}", "[[],{}]",
            #"{"a": [1, 2, {"b": "\"\\\/\b\f\n\r\t\u00E9"}]}"#, "\u{FEFF}{}", "\"é€🙂\"",
            "\r\n[\t1 ,\n2]\n",
        ]
    )
    func valid(text: String) {
        #expect(JSONSyntaxError(firstIn: Data(text.utf8)) == nil)
    }

    @Test(
        "The first error is placed",
        arguments: [
            ("", 1, 1), ("   ", 1, 4), ("[1,]", 1, 4), ("[1 2]", 1, 4), ("[1}", 1, 3),
            ("{\"a\" 1}", 1, 6), ("{\"a\": 1,}", 1, 9), ("{a: 1}", 1, 2), ("{,}", 1, 2),
            ("01", 1, 2), ("-", 1, 2), ("1.", 1, 3), ("1e", 1, 3), (".5", 1, 1), ("+1", 1, 1),
            ("nul", 1, 1), ("nulll", 1, 5), ("NaN", 1, 1), ("\"a", 1, 3), ("\"a\nb\"", 1, 3),
            (#""\x""#, 1, 2), (#""\u12G4""#, 1, 2), (#""\u12"#, 1, 2), (#""\"#, 1, 2),
            ("'a'", 1, 1), ("[\n1,\n\n  x]", 4, 3), ("[\r\n1,\r\nx]", 3, 1), ("[1", 1, 3),
            ("{\"a\": 1", 1, 8), ("{} {}", 1, 4), ("]", 1, 1), ("[1] // note", 1, 5),
            ("\"é€🙂\" x", 1, 7),
        ]
    )
    func placed(text: String, line: Int, column: Int) throws {
        let error = try #require(JSONSyntaxError(firstIn: Data(text.utf8)))
        #expect(error.line == line)
        #expect(error.column == column, "\(error.message)")
    }

    @Test("Bytes that are not UTF-8 are an error where they are")
    func invalidUTF8() throws {
        let error = try #require(JSONSyntaxError(firstIn: Data([0x22, 0x61, 0xFF, 0x22])))
        #expect(error.column == 3)
        #expect(error.message == "these bytes are not UTF-8")
    }

    @Test("Messages say what was expected and what was found")
    func messages() {
        func message(_ text: String) -> String? {
            JSONSyntaxError(firstIn: Data(text.utf8))?.message
        }
        #expect(message("[1,]") == "expected a value, not ']'")
        #expect(message("[") == "the file ends where a value or ']' is expected")
        #expect(message("{\"a\": é}") == "expected a value")
    }

    @Test("Nesting of any depth is checked without recursion")
    func deepNesting() {
        let depth = 200_000
        let open = String(repeating: "[", count: depth)
        let text = open + String(repeating: "]", count: depth)
        #expect(JSONSyntaxError(firstIn: Data(text.utf8)) == nil)
        #expect(JSONSyntaxError(firstIn: Data(open.utf8))?.column == depth + 1)
    }
}
