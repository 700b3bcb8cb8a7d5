import Testing

@testable import FlatCacheTestSupport

/// Tests the check of versions with histories whose answer is known.
@Suite(.exclusive)
struct LinearizabilityVersionTests {
    private func call(
        _ thread: Int,
        _ times: ClosedRange<Int>,
        _ operation: HistoryOperation = .count(.replacingList),
        versions: ClosedRange<UInt64>
    ) -> HistoryCall {
        HistoryCall(
            thread: thread,
            invocation: times.lowerBound,
            response: times.upperBound,
            operation: operation,
            result: .count(0),
            versionBefore: versions.lowerBound,
            versionAfter: versions.upperBound
        )
    }

    private let write = HistoryOperation.set(
        HistoryKey(kind: .replacingList, number: 0),
        entry: 1,
        .handle
    )

    @Test func versionsOfCallsThatOverlapAreFree() {
        let history = History(calls: [
            call(0, 1...4, versions: 2...2), call(1, 2...3, write, versions: 1...3),
        ])
        #expect(history.versionProblem() == nil)
    }

    @Test func versionMustNotGoBackForAThread() {
        let history = History(calls: [
            call(0, 1...2, versions: 1...2), call(0, 3...4, versions: 1...2),
        ])
        #expect(history.versionProblem() != nil)
    }

    @Test func versionMustNotGoBackFromOneThreadToAnother() {
        let history = History(calls: [
            call(0, 1...2, versions: 1...1), call(2, 3...8, versions: 1...1),
            call(0, 4...5, versions: 2...2), call(1, 6...7, versions: 1...2),
        ])
        #expect(history.versionProblem() != nil)
    }

    @Test func changeMustHaveANewVersion() {
        let history = History(calls: [call(0, 1...2, write, versions: 1...1)])
        #expect(history.versionProblem() != nil)
    }
}
