import Testing

@testable import FlatCache

struct EntryTests: ~Copyable {
    private var entry = Entry(id: 1, hash: 1, version: 10, value: Note(id: 1, text: "ten"))

    @Test func aNewEntryHasNothingBefore() {
        #expect(entry.value(at: 9) == nil)
        #expect(entry.value(at: 10)?.text == "ten")
        #expect(entry.value(at: 11)?.text == "ten")
    }

    @Test mutating func aReaderReceivesTheNewestValueOfItsVersion() {
        let oldest = PriorVersion<Note>(value: Note(id: 1, text: "two"), version: 2, older: nil)
        let removal = PriorVersion<Note>(value: nil, version: 5, older: oldest)
        entry.prior = PriorVersion(value: Note(id: 1, text: "seven"), version: 7, older: removal)
        let texts = (0...11).map { entry.value(at: $0)?.text }
        #expect(
            texts == [
                nil, nil, "two", "two", "two", nil, nil, "seven", "seven", "seven", "ten", "ten",
            ]
        )
    }

    @Test mutating func aRemovalReadsAsNil() {
        entry.prior = PriorVersion(value: entry.value, version: 10, older: nil)
        entry.value = nil
        entry.version = 12
        #expect(entry.value(at: 11)?.text == "ten")
        #expect(entry.value(at: 12) == nil)
    }
}
