import Testing

@testable import FlatCacheSQLite

struct IdentifierListTests {
    static let lists: [[RowIdentifier]] = [
        [],
        [.number(0)],
        [.number(.min), .number(-1), .number(0), .number(127), .number(.max)],
        [.number(3), .number(4), .number(5), .number(7), .number(7), .number(8)],
        [.text(""), .text("a"), .text(String(repeating: "é", count: 300))],
        [.bytes([]), .bytes([0, 255])],
    ]

    @Test(arguments: lists)
    func listSurvivesItsEncoding(list: [RowIdentifier]) throws {
        let bytes = try CompactRowCoder().encode(IdentifierList(list))
        let decoded = try bytes.withUnsafeBytes {
            try CompactRowCoder().decode(IdentifierList.self, from: $0)
        }
        #expect(decoded.identifiers == list)
    }
}
