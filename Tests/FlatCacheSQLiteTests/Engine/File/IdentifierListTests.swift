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
    func listSurvivesItsEncoding(list: [RowIdentifier]) {
        let decoded = IdentifierList.encode(list).withUnsafeBytes { IdentifierList.decode($0) }
        #expect(decoded == list)
    }

    @Test func runOfNumbersTakesAFewBytes() {
        #expect(IdentifierList.encode((1...1_000).map { .number($0) }).count == 4)
    }

    @Test(arguments: [
        [9], [0, 0x80], [0, 2], [0, 2, 0xFF, 0xFF, 0xFF, 0xFF, 1], [1, 5, 65],
        [0] + Array(repeating: 0xFF, count: 11),
    ])
    func damagedListIsRefused(bytes: [UInt8]) {
        #expect(bytes.withUnsafeBytes { IdentifierList.decode($0) } == nil)
    }
}
