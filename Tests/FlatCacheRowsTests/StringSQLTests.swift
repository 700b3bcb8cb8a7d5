import FlatCacheRows
import Testing

struct StringSQLTests {
    @Test(arguments: [
        ("", "\"\""), ("book", "\"book\""), ("a\"b\"", "\"a\"\"b\"\"\""), ("a'b", "\"a'b\""),
        ("\"\u{301}", "\"\"\"\u{301}\""),
    ])
    func quotesInNamesAreDoubled(name: String, expected: String) {
        #expect(Array(name.quoted("\"").unicodeScalars) == Array(expected.unicodeScalars))
    }

    @Test func quotesInTextsAreDoubled() { #expect("O'Neil".quoted("'") == "'O''Neil'") }
}
