import Testing

@testable import FlatCachePersistence

final class FileMonitorStateTests {
    private let millisecond: UInt64 = 1_000_000

    private var state = FileMonitorState()

    init() { _ = state.endLook(look(1)) }

    private func look(_ number: UInt64, time: Int64 = 0) -> FileLook {
        .found(
            FileLook.Marks(
                identity: FileIdentity(device: 1, number: number),
                size: 0,
                contentTime: time,
                changeTime: time
            )
        )
    }

    private func note(_ sign: FileSign, at now: UInt64) -> UInt64? { state.note(sign, at: now) }

    private func poll(at now: UInt64) -> UInt64? { state.poll(at: now) }

    private func begins(_ deadline: UInt64?) -> Bool {
        deadline.map { state.beginLook(arrangedFor: $0) } ?? false
    }

    private func ends(_ found: FileLook) -> FileEvent? { state.endLook(found) }

    /// Notes signs, and returns the event of the following look.
    private func event(after signs: [FileSign], _ found: FileLook) -> FileEvent? {
        var deadline: UInt64?
        for sign in signs { deadline = state.note(sign, at: 0) ?? deadline }
        if let deadline { #expect(begins(deadline)) }
        return state.endLook(found)
    }

    @Test func firstLookReportsNoEvent() {
        state = FileMonitorState()
        #expect(ends(look(1)) == nil)
        #expect(ends(.missing) == .deleted)
    }

    @Test func differentMetadataIsReportedWithoutASign() {
        #expect(event(after: [], look(1)) == nil)
        #expect(event(after: [], look(1, time: 1)) == .written)
        #expect(event(after: [.doubt], look(2, time: 1)) == .replaced)
        #expect(event(after: [.doubt], .missing) == .deleted)
        #expect(event(after: [.doubt], look(2)) == .created)
        #expect(event(after: [], .hidden(errorNumber: 1)) == .written)
        #expect(event(after: [], .hidden(errorNumber: 1)) == nil)
        #expect(event(after: [], look(2)) == .written)
        #expect(event(after: [.doubt], look(2)) == nil)
    }

    @Test(arguments: [FileSign.writing, .written, .departure, .detour])
    func touchedFileWithTheSameMetadataIsReported(sign: FileSign) {
        #expect(event(after: [sign], look(1)) == .written)
        #expect(event(after: [], look(1)) == nil)
    }

    @Test(arguments: [FileSign.beginning, .arrival])
    func aNewFileWithTheNumberOfTheOldOneHasReplacedIt(sign: FileSign) {
        #expect(event(after: [.departure, sign], look(1)) == .replaced)
    }

    @Test func fileThatWasCreatedAndDeletedBetweenLooksIsReported() {
        _ = event(after: [.departure], .missing)
        #expect(event(after: [.beginning, .departure], .missing) == .deleted)
    }

    @Test func createdFoldersAreReportedOnlyAfterAnEarlierEvent() {
        state = FileMonitorState()
        #expect(event(after: [], .missing) == nil)
        #expect(event(after: [.detour], .missing) == nil)
        #expect(event(after: [.detour], look(1)) == .created)
        #expect(event(after: [.detour], .missing) == .deleted)
        #expect(event(after: [.detour], .missing) == .deleted)
    }

    @Test func aSignDuringALookIsLeftForTheNext() {
        let first = state.note(.written, at: 0)
        #expect(begins(first))
        let second = state.note(.written, at: 1)
        #expect(second != nil)
        #expect(ends(look(1)) == .written)
        #expect(begins(second))
        #expect(ends(look(1)) == .written)
    }

    @Test func signsJoinTheLookThatIsArrangedFor() {
        let long = state.note(.writing, at: 0)
        #expect(long == 30 * millisecond)
        #expect(note(.writing, at: 20 * millisecond) == nil)
        let short = state.note(.written, at: 21 * millisecond)
        #expect(short == 23 * millisecond)
        #expect(note(.arrival, at: 22 * millisecond) == nil)
        #expect(poll(at: 22 * millisecond) == nil)
        // The earlier of the two times counts, and its look consumes both signs.
        #expect(begins(short))
        #expect(ends(look(1)) == .replaced)
        #expect(!begins(long))
    }

    @Test func endlessWritesAreReportedAtIntervals() {
        let first = state.note(.writing, at: 0)
        #expect(note(.writing, at: 29 * millisecond) == nil)
        #expect(begins(first))
        #expect(ends(look(1)) == .written)
        #expect(note(.writing, at: 31 * millisecond) == 61 * millisecond)
    }

    @Test func pollReportsOnlyDifferentMetadata() {
        // Consumed signs cause no further look.
        #expect(event(after: [.arrival], look(1)) == .replaced)
        let time = state.poll(at: 0)
        #expect(time == FileMonitorState.pollingInterval)
        #expect(begins(time))
        #expect(ends(look(1)) == nil)
    }
}
