import Testing

@testable import FlatCachePersistence

final class FileMonitorStateTests {
    private let millisecond: UInt64 = 1_000_000

    private var state = FileMonitorState()

    init() { _ = state.endCheck(status(1)) }

    private func status(_ number: UInt64, time: Int64 = 0) -> FileStatus {
        .found(
            FileStatus.Metadata(
                identity: FileIdentity(device: 1, number: number),
                size: 0,
                contentTime: time,
                changeTime: time
            )
        )
    }

    private func record(_ signal: FileSignal, at now: UInt64) -> UInt64? {
        state.record(signal, at: now)
    }

    private func poll(at now: UInt64) -> UInt64? { state.poll(at: now) }

    private func begins(_ deadline: UInt64?) -> Bool {
        deadline.map { state.beginCheck(scheduledFor: $0) } ?? false
    }

    private func ends(_ found: FileStatus) -> FileEvent? { state.endCheck(found) }

    /// Records signals, and returns the event of the following check.
    private func event(after signals: [FileSignal], _ found: FileStatus) -> FileEvent? {
        var deadline: UInt64?
        for signal in signals { deadline = state.record(signal, at: 0) ?? deadline }
        if let deadline { #expect(begins(deadline)) }
        return state.endCheck(found)
    }

    @Test func firstCheckReportsNoEvent() {
        state = FileMonitorState()
        #expect(ends(status(1)) == nil)
        #expect(ends(.missing) == .deleted)
    }

    @Test func differentMetadataIsReportedWithoutASignal() {
        #expect(event(after: [], status(1)) == nil)
        #expect(event(after: [], status(1, time: 1)) == .written)
        #expect(event(after: [.possibleChange], status(2, time: 1)) == .replaced)
        #expect(event(after: [.possibleChange], .missing) == .deleted)
        #expect(event(after: [.possibleChange], status(2)) == .created)
        #expect(event(after: [], .inaccessible(errorNumber: 1)) == .written)
        #expect(event(after: [], .inaccessible(errorNumber: 1)) == nil)
        #expect(event(after: [], status(2)) == .written)
        #expect(event(after: [.possibleChange], status(2)) == nil)
    }

    @Test(arguments: [FileSignal.writing, .written, .removal, .pathChange])
    func touchedFileWithTheSameMetadataIsReported(signal: FileSignal) {
        #expect(event(after: [signal], status(1)) == .written)
        #expect(event(after: [], status(1)) == nil)
    }

    @Test(arguments: [FileSignal.creation, .replacement])
    func newFileWithTheNumberOfTheOldOneHasReplacedIt(signal: FileSignal) {
        #expect(event(after: [.removal, signal], status(1)) == .replaced)
    }

    @Test func fileThatWasCreatedAndDeletedBetweenChecksIsReported() {
        _ = event(after: [.removal], .missing)
        #expect(event(after: [.creation, .removal], .missing) == .deleted)
    }

    @Test func createdFoldersAreReportedOnlyAfterAnEarlierEvent() {
        state = FileMonitorState()
        #expect(event(after: [], .missing) == nil)
        #expect(event(after: [.pathChange], .missing) == nil)
        #expect(event(after: [.pathChange], status(1)) == .created)
        #expect(event(after: [.pathChange], .missing) == .deleted)
        #expect(event(after: [.pathChange], .missing) == .deleted)
    }

    @Test func signalDuringACheckIsLeftForTheNext() {
        let first = state.record(.written, at: 0)
        #expect(begins(first))
        let second = state.record(.written, at: 1)
        #expect(second != nil)
        #expect(ends(status(1)) == .written)
        #expect(begins(second))
        #expect(ends(status(1)) == .written)
    }

    @Test func signalsJoinTheScheduledCheck() {
        let long = state.record(.writing, at: 0)
        #expect(long == 30 * millisecond)
        #expect(record(.writing, at: 20 * millisecond) == nil)
        let short = state.record(.written, at: 21 * millisecond)
        #expect(short == 23 * millisecond)
        #expect(record(.replacement, at: 22 * millisecond) == nil)
        #expect(poll(at: 22 * millisecond) == nil)
        // The earlier of the two times counts, and its check consumes both signals.
        #expect(begins(short))
        #expect(ends(status(1)) == .replaced)
        #expect(!begins(long))
    }

    @Test func endlessWritesAreReportedAtIntervals() {
        let first = state.record(.writing, at: 0)
        #expect(record(.writing, at: 29 * millisecond) == nil)
        #expect(begins(first))
        #expect(ends(status(1)) == .written)
        #expect(record(.writing, at: 31 * millisecond) == 61 * millisecond)
    }

    @Test func pollReportsOnlyDifferentMetadata() {
        // Consumed signals cause no further check.
        #expect(event(after: [.replacement], status(1)) == .replaced)
        let time = state.poll(at: 0)
        #expect(time == FileMonitorState.pollingInterval)
        #expect(begins(time))
        #expect(ends(status(1)) == nil)
    }
}
