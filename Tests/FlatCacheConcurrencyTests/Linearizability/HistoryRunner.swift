@testable import FlatCacheTestSupport

/// A runner that makes the calls of plans on several threads, each plan on a subject of its own.
struct HistoryRunner<Subject: LinearizabilitySubject> {
    private let subjects: [Subject]
    private let plans: [HistoryPlan]
    private let threadCount: Int
    private let clock = HistoryClock()
    private let firstAttempt: Int

    /// Prepares a run.
    ///
    /// - Parameters:
    ///   - plans: Plans for the same number of threads.
    ///   - firstAttempt: The number of the first plan's history, which seeds its pauses.
    init(_ plans: [HistoryPlan], firstAttempt: Int) {
        self.plans = plans
        self.firstAttempt = firstAttempt
        threadCount = plans.first?.threads.count ?? 0
        subjects = plans.map(Subject.init)
    }

    /// Runs the plans one after another on the same threads.
    ///
    /// - Returns: The history of each plan, or `nil` if the threads didn't end in time.
    func histories() -> [History]? {
        let barrier = StartBarrier(threadCount: threadCount)
        let recorder = Recorder<[[HistoryCall]]>()
        let ended = onThreads(threadCount) { thread in
            var callsOfPlans: [[HistoryCall]] = []
            for round in plans.indices {
                guard barrier.wait(round: round) else { return }
                callsOfPlans.append(calls(plans[round].threads[thread], thread, round))
            }
            recorder.append(callsOfPlans)
        }
        guard ended else {
            barrier.abandon()
            return nil
        }
        let callsOfThreads = recorder.all
        return plans.indices.map { round in
            let finalCalls = calls(plans[round].finalOperations, threadCount, round)
            return History(
                initial: plans[round].initial,
                calls: callsOfThreads.flatMap { $0[round] } + finalCalls
            )
        }
    }

    private func calls(
        _ operations: [HistoryOperation],
        _ thread: Int,
        _ round: Int
    ) -> [HistoryCall] {
        let subject = subjects[round]
        let attempt = UInt64(firstAttempt + round)
        let seed = Seed(plans[round].seed.number &+ attempt << 32)
        let pauses = Pauses(seed: seed, stream: thread)
        return operations.map { operation in
            pauses.take()
            let invocation = clock.tick()
            let versionBefore = subject.version
            let result = subject.perform(operation, pauses)
            let versionAfter = subject.version
            return HistoryCall(
                thread: thread,
                invocation: invocation,
                response: clock.tick(),
                operation: operation,
                result: result,
                versionBefore: versionBefore,
                versionAfter: versionAfter
            )
        }
    }
}
