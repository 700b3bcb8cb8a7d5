import Testing

@testable import FlatCacheSQLite

struct MarkListTests {
    private static func mark(
        _ number: Int64,
        _ milliseconds: Int64,
        _ writer: Int64
    ) -> TransactionMark {
        let time = WallTime(milliseconds: milliseconds)
        return TransactionMark(number: number, time: time, writer: writer)
    }

    static let lists: [[TransactionMark]] = [
        [],
        [mark(1, 1_700_000_000_000, -3)],
        [mark(9, 5, 1), mark(7, 6, 2), mark(9, 5, 1), mark(8, -1, 1)],
        [mark(.max, .max, .min), mark(0, .min, .max)],
    ]

    @Test(arguments: lists)
    func listSurvivesItsEncoding(list: [TransactionMark]) {
        let decoded = MarkList.encode(list).withUnsafeBytes { MarkList.decode($0) }
        #expect(decoded == list)
    }

    @Test func repeatedMarkTakesAByte() {
        let mark = Self.mark(1, 2, 3)
        let hundred = MarkList.encode(Array(repeating: mark, count: 100)).count
        #expect(hundred == MarkList.encode([mark]).count + 99)
    }

    @Test(arguments: [[1], [1, 2, 4, 6, 1], [0, 0], [0x80], [0xFF, 0xFF, 0xFF, 0xFF, 0x7F]])
    func damagedListIsRefused(bytes: [UInt8]) {
        #expect(bytes.withUnsafeBytes { MarkList.decode($0) } == nil)
    }
}
