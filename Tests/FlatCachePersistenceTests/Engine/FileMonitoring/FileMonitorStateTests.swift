import Testing

@testable import FlatCachePersistence

final class FileMonitorStateTests {
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

    private func record(_ signal: FileSignal, at now: Duration) -> Duration? {
        state.record(signal, at: now)
    }

    private func poll(at now: Duration) -> Duration? { state.poll(at: now) }

    private func begins(_ deadline: Duration?) -> Bool {
        deadline.map { state.beginCheck(scheduledFor: $0) } ?? false
    }

    private func ends(_ found: FileStatus) -> FileEvent? { state.endCheck(found) }

    /// Records signals, and returns the event of the following check.
    private func event(after signals: [FileSignal], _ found: FileStatus) -> FileEvent? {
        var deadline: Duration?
        for signal in signals { deadline = state.record(signal, at: .zero) ?? deadline }
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
        let first = state.record(.written, at: .zero)
        #expect(begins(first))
        let second = state.record(.written, at: .nanoseconds(1))
        #expect(second != nil)
        #expect(ends(status(1)) == .written)
        #expect(begins(second))
        #expect(ends(status(1)) == .written)
    }

    @Test func signalsJoinTheScheduledCheck() {
        let long = state.record(.writing, at: .zero)
        #expect(long == .milliseconds(30))
        #expect(record(.writing, at: .milliseconds(20)) == nil)
        let short = state.record(.written, at: .milliseconds(21))
        #expect(short == .milliseconds(23))
        #expect(record(.replacement, at: .milliseconds(22)) == nil)
        #expect(poll(at: .milliseconds(22)) == nil)
        // The earlier of the two times counts, and its check consumes both signals.
        #expect(begins(short))
        #expect(ends(status(1)) == .replaced)
        #expect(!begins(long))
    }

    @Test func endlessWritesAreReportedAtIntervals() {
        let first = state.record(.writing, at: .zero)
        #expect(record(.writing, at: .milliseconds(29)) == nil)
        #expect(begins(first))
        #expect(ends(status(1)) == .written)
        #expect(record(.writing, at: .milliseconds(31)) == .milliseconds(61))
    }

    @Test func pollReportsOnlyDifferentMetadata() {
        // Consumed signals cause no further check.
        #expect(event(after: [.replacement], status(1)) == .replaced)
        let time = state.poll(at: .zero)
        #expect(time == FileMonitorState.pollingInterval)
        #expect(begins(time))
        #expect(ends(status(1)) == nil)
    }
}
