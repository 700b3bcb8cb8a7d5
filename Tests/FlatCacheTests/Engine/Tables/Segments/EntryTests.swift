import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct EntryTests: ~Copyable {
    private var entry = Entry(id: 1, hash: 1, version: 10, value: Note(id: 1, text: "ten"))

    deinit {
        var next = entry.prior
        while let prior = next {
            next = prior.pointee.older
            prior.deinitialize(count: 1)
            prior.deallocate()
        }
    }

    private mutating func addPrior(_ value: Note?, version: UInt64) {
        entry.prior = PriorVersion.keep(
            PriorVersion(value: value, version: version, older: entry.prior)
        )
    }

    @Test func newEntryHasNoPriorVersion() {
        #expect(entry.value(at: 9) == nil)
        #expect(entry.value(at: 10)?.text == "ten")
        #expect(entry.value(at: 11)?.text == "ten")
    }

    @Test mutating func readerReceivesTheNewestValueOfItsVersion() {
        addPrior(Note(id: 1, text: "two"), version: 2)
        addPrior(nil, version: 5)
        addPrior(Note(id: 1, text: "seven"), version: 7)
        let texts = (0...11).map { entry.value(at: $0)?.text }
        #expect(
            texts == [
                nil, nil, "two", "two", "two", nil, nil, "seven", "seven", "seven", "ten", "ten",
            ]
        )
    }

    @Test mutating func removalReadsAsNil() {
        addPrior(entry.value, version: 10)
        entry.value = nil
        entry.version = 12
        #expect(entry.value(at: 11)?.text == "ten")
        #expect(entry.value(at: 12) == nil)
    }
}
