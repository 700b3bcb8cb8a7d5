import Testing

@testable import FlatCacheTestSupport

/// Tests the checker with histories whose answer is known.
struct LinearizabilityCheckerTests {
    private let mergingList = HistoryKey(kind: .mergingList, number: 0)
    private let replacingList = HistoryKey(kind: .replacingList, number: 0)

    private func call(
        _ thread: Int,
        _ times: ClosedRange<Int>,
        _ operation: HistoryOperation,
        _ result: HistoryResult
    ) -> HistoryCall {
        HistoryCall(
            thread: thread,
            invocation: times.lowerBound,
            response: times.upperBound,
            operation: operation,
            result: result
        )
    }

    private func isLinearizable(
        _ calls: [HistoryCall],
        from initial: HistoryState.Contents = [:]
    ) -> Bool {
        let history = History(initial: HistoryState(initial), calls: calls)
        return LinearizabilityChecker.longestOrder(ofUnexplained: history) == nil
    }

    @Test func noCallsAreLinearizable() {
        #expect(isLinearizable([]))
    }

    @Test func callsThatOverlapMayTakeEffectInAnyOrder() {
        // In the explaining order, the last invoked call comes first.
        #expect(
            isLinearizable([
                call(0, 1...6, .get(replacingList, .direct), .value([2])),
                call(1, 2...5, .set(replacingList, entry: 1, .direct), .value([1])),
                call(2, 3...4, .set(replacingList, entry: 2, .direct), .value([2])),
                call(0, 7...8, .get(replacingList, .direct), .value([1])),
            ])
        )
    }

    @Test func readDuringAWriteSeesEitherState() {
        for seen in [nil, [1]] {
            #expect(
                isLinearizable([
                    call(0, 1...4, .set(replacingList, entry: 1, .direct), .value([1])),
                    call(1, 2...3, .get(replacingList, .direct), .value(seen)),
                ])
            )
        }
    }

    @Test func stateThatWasReadCantBecomeUnreadable() {
        #expect(
            !isLinearizable([
                call(0, 1...6, .set(replacingList, entry: 1, .direct), .value([1])),
                call(1, 2...3, .get(replacingList, .direct), .value([1])),
                call(1, 4...5, .get(replacingList, .handle), .value(nil)),
            ])
        )
    }

    @Test func readAfterAWriteMustSeeIt() {
        #expect(
            !isLinearizable(
                [
                    call(0, 1...2, .replace(replacingList, [2]), .value([2])),
                    call(1, 3...4, .get(replacingList, .direct), .value([1])),
                ],
                from: [replacingList: [1]]
            )
        )
    }

    @Test func updateMustNotBeLost() {
        #expect(
            !isLinearizable(
                [
                    call(
                        0,
                        1...4,
                        .append(replacingList, entry: 2, .direct, .returns),
                        .value([1, 2])
                    ),
                    call(
                        1,
                        2...3,
                        .append(replacingList, entry: 3, .direct, .returns),
                        .value([1, 3])
                    ),
                ],
                from: [replacingList: [1]]
            )
        )
    }

    @Test func mergeMustNotBeLost() {
        let merges = [
            call(0, 1...4, .set(mergingList, entry: 1, .handle), .nothing),
            call(1, 2...3, .set(mergingList, entry: 2, .handle), .nothing),
        ]
        let read = HistoryOperation.get(mergingList, .direct)
        #expect(isLinearizable(merges + [call(0, 5...6, read, .value([2, 1]))]))
        #expect(!isLinearizable(merges + [call(0, 5...6, read, .value([1]))]))
    }

    @Test func batchMustNotBeSeenHalf() {
        let batch = call(
            0,
            1...4,
            .batch([.replace(mergingList, [1]), .replace(replacingList, [2])], .returns),
            .list([.value([1]), .value([2])])
        )
        let reads = HistoryOperation.snapshot([
            .get(mergingList, .direct), .get(replacingList, .direct),
        ])
        let half = HistoryResult.list([.value([1]), .value(nil)])
        let whole = HistoryResult.list([.value([1]), .value([2])])
        let none = HistoryResult.list([.value(nil), .value(nil)])
        #expect(!isLinearizable([batch, call(1, 2...3, reads, half)]))
        #expect(isLinearizable([batch, call(1, 2...3, reads, whole)]))
        #expect(isLinearizable([batch, call(1, 2...3, reads, none)]))
        // Separate reads must not see half of the batch either.
        #expect(
            !isLinearizable([
                call(0, 1...8, batch.operation, batch.result),
                call(1, 2...3, .get(replacingList, .direct), .value([2])),
                call(1, 4...5, .get(mergingList, .handle), .value(nil)),
            ])
        )
    }

    @Test func failingBatchMustNotBeSeen() {
        let batch = call(
            0,
            1...4,
            .batch(
                [
                    .replace(replacingList, [1]), .get(replacingList, .direct),
                    .get(replacingList, .cache),
                ],
                .fails
            ),
            .failure([.value([1]), .value([1]), .value(nil)])
        )
        let read = HistoryOperation.get(replacingList, .direct)
        #expect(isLinearizable([batch, call(1, 2...3, read, .value(nil))]))
        #expect(!isLinearizable([batch, call(1, 2...3, read, .value([1]))]))
        #expect(!isLinearizable([batch, call(1, 5...6, read, .value([1]))]))
    }

    @Test func innerBatchThatThrowsIsRolledBackAlone() {
        let inner = HistoryOperation.batch(
            [.replace(replacingList, [2]), .replace(mergingList, [3])],
            .fails
        )
        let batch = HistoryOperation.batch([.replace(replacingList, [1]), inner], .returns)
        let shown = HistoryResult.list([.value([1]), .failure([.value([2]), .value([3])])])
        let reads = HistoryOperation.snapshot([
            .get(replacingList, .direct), .get(mergingList, .direct),
        ])
        #expect(
            isLinearizable([
                call(0, 1...2, batch, shown),
                call(0, 3...4, reads, .list([.value([1]), .value(nil)])),
            ])
        )
    }

    @Test func longestOrderOmitsWrongCalls() {
        // The checker tries the other order of the two writes later, and that order explains fewer
        // calls.
        let history = History(calls: [
            call(0, 1...4, .replace(replacingList, [1]), .value([1])),
            call(1, 2...3, .replace(replacingList, [2]), .value([2])),
            call(1, 5...6, .get(replacingList, .direct), .value([2])),
            call(0, 7...8, .count(.replacingList), .count(0)),
        ])
        #expect(LinearizabilityChecker.longestOrder(ofUnexplained: history) == [0, 1, 2])
    }

    @Test func manyCallsAtTheSameTimeAreDecided() {
        // The calls have 12! orders but few configurations.
        let writes = (0..<12).map {
            call($0, 1 + $0...100, .replace(replacingList, [$0 % 2]), .value([$0 % 2]))
        }
        let read = HistoryOperation.get(replacingList, .direct)
        #expect(isLinearizable(writes + [call(0, 101...102, read, .value([1]))]))
        #expect(!isLinearizable(writes + [call(0, 101...102, read, .value([2]))]))
    }
}
