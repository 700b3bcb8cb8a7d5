import Testing
@testable import FlatCache
@testable import FlatCacheTestSupport

/// A single flight and its naive model, on which the same random operations are performed.
final class FlightRun: RandomRun {
    private let flight = SingleFlight<Int, Int>()
    private let manual = ManualOperations()
    private let clock = ManualClock()
    private var callers: [Task<Void, Never>] = []
    private let outcomes = Locked<[Int: NaiveFlight.Outcome]>([:])
    private var model = NaiveFlight()
    private var random: SplitMix64
    private(set) var operations: [String] = []
    private var claimProblem: String?

    private static let keyCount = 6

    init(seed: Seed) { random = SplitMix64(seed: seed) }

    /// The numbers of the events in the run.
    var counts: EventCounts { model.counts }

    // MARK: Steps

    func step() async -> String? {
        perform()
        return await problem()
    }

    /// Performs a random operation.
    private func perform() {
        switch random.below(18) {
        case 0..<5: join()
        case 5: startInBackground()
        case 6...8:
            let waiting = model.waitingCallers
            if let last = waiting.last { cancel(random.oneIn(2) ? last : random.pick(waiting)) }
        case 9: separate()
        case 10, 11:
            let time = random.number(in: 1...3)
            operations.append("let \(time) s pass")
            model.advance(by: time)
            clock.advance(by: .seconds(time))
        case 12, 13:
            let abandoned = model.operations.keys.filter(model.abandonments.contains).sorted()
            let isLate = random.oneIn(2) && !abandoned.isEmpty
            guard let number = isLate ? random.pick(abandoned) : anyOperation() else { return }
            operations.append("claim \(number)")
            let isNeeded = model.claim(number)
            if manual.claim(number) != isNeeded {
                claimProblem = "The claim of \(number) is \(!isNeeded)."
            }
            model.watchAgain(number)
            manual.watchAgain(number)
        default:
            guard let number = anyOperation() else { return }
            end(number)
        }
    }

    /// Ends everything: callers leave, and operations return.
    func end() async -> String? {
        for caller in model.waitingCallers { cancel(caller) }
        while let number = anyOperation() { end(number) }
        model.advance(by: NaiveFlight.pause)
        clock.advance(by: .seconds(NaiveFlight.pause))
        _ = await problem()
        while let number = anyOperation() { end(number) }
        return await problem()
    }

    private func anyOperation() -> UInt64? {
        let numbers = model.operations.keys.sorted()
        return numbers.isEmpty ? nil : random.pick(numbers)
    }

    /// Returns different keys, of which there may be none.
    private func someKeys(_ counts: ClosedRange<Int>, besides others: [Int] = []) -> [Int] {
        let keys = (0..<Self.keyCount).filter { !others.contains($0) }.shuffled(using: &random)
        return Array(keys.prefix(random.number(in: counts)))
    }

    /// Returns the rule of a caller: none, one that waits for others, or one that doesn't.
    private func anyRule() -> NaiveFlight.Rule? {
        switch random.below(5) {
        case 0: nil
        case 1, 2: NaiveFlight.Rule(group: 1, maximum: 5, waitsForOthers: true)
        case 3: NaiveFlight.Rule(group: 2, maximum: 3, waitsForOthers: true)
        default: NaiveFlight.Rule(group: 3, maximum: 2, waitsForOthers: false)
        }
    }

    private func gathering(_ rule: NaiveFlight.Rule?) -> FlightGathering? {
        rule.map { rule in
            FlightGathering(
                group: rule.group,
                maximum: rule.maximum,
                waitsForOthers: rule.waitsForOthers
            ) { [clock] in
                let end = clock.now.advanced(by: .seconds(NaiveFlight.pause))
                try await clock.sleep(until: end)
            }
        }
    }

    private func join() {
        let keys = someKeys(random.oneIn(8) ? 0...0 : 1...4)
        let backgroundKeys = random.oneIn(3) ? someKeys(1...2, besides: keys) : []
        let rule = anyRule()
        let group = rule.map { " in group \($0.group)" } ?? ""
        operations.append("\(callers.count) joins \(keys), \(backgroundKeys)\(group)")
        let isLate = random.oneIn(10)
        if isLate {
            operations.append("after its cancellation")
            model.joinAfterCancellation()
        } else {
            model.join(keys, inBackground: backgroundKeys, rule)
        }
        let (number, gathering) = (callers.count, gathering(rule))
        callers.append(
            Task { [flight, manual, outcomes] in
                if isLate { withUnsafeCurrentTask { $0?.cancel() } }
                let outcome: NaiveFlight.Outcome
                do {
                    let answers = try await flight.answers(
                        for: keys,
                        inBackground: backgroundKeys,
                        gathering: gathering
                    ) { try await manual.run($0) }
                    outcome = .answers(
                        answers.mapValues {
                            NaiveFlight.Answer(output: $0.output, isOwn: $0.isOwn)
                        }
                    )
                } catch let error as ManualOperations.Failure {
                    outcome = .failure(Int(error.number))
                } catch {
                    outcome = .cancellation
                }
                outcomes.withLock { $0[number] = outcome }
            }
        )
    }

    private func startInBackground() {
        let keys = someKeys(1...3)
        let rule = anyRule()
        operations.append("start \(keys)" + (rule.map { " in group \($0.group)" } ?? ""))
        model.start(keys, rule)
        flight.start(keys, gathering: gathering(rule)) { [manual] in
            try await manual.run($0)
        }
    }

    private func cancel(_ caller: Int) {
        operations.append("cancel \(caller)")
        model.cancel(caller)
        callers[caller].cancel()
    }

    private func separate() {
        let key = random.below(Self.keyCount)
        switch random.below(3) {
        case 0:
            operations.append("separate \(key)")
            model.separate(includingWaiting: false) { $0 == key }
            flight.separate(key)
        case 1:
            operations.append("separate all from \(key)")
            model.separate(includingWaiting: false) { $0 >= key }
            flight.separate { $0 >= key }
        default:
            operations.append("separate all up to \(key), also from calls that wait")
            model.separate(includingWaiting: true) { $0 <= key }
            flight.separate(includingWaiting: true) { $0 <= key }
        }
    }

    private func end(_ number: UInt64) {
        var outputs: [Int: Int]?
        if !random.oneIn(4) {
            // The answer may lack some of the keys.
            let keys = model.operations[number, default: []].filter { _ in !random.oneIn(5) }
            outputs = keys.reduce(into: [:]) { $0[$1] = 100 * Int(number) + $1 }
        }
        operations.append("end \(number) with \(outputs.map { "\($0)" } ?? "an error")")
        model.end(number, outputs)
        manual.end(number, outputs)
    }

    // MARK: Checks

    /// Waits until the flight is as in the model, and returns a description of the remaining
    /// difference, or `nil`.
    private func problem() async -> String? {
        if let claimProblem { return claimProblem }
        flight.checkInvariants()
        if await until(limit: modelStepTime, { difference() == nil }) { return nil }
        return difference()
    }

    private func difference() -> String? {
        let keys = flight.keys
        if Set(keys) != model.joinableKeys { return "keys \(keys): \(model.joinableKeys)" }
        for key in 0..<Self.keyCount {
            let (found, expected) = (flight.waiterCount(for: key), model.waiterCount(for: key))
            if found != expected { return "\(found) callers wait for \(key), not \(expected)" }
        }
        let (count, expectedCount) = (flight.callCount, model.callCount)
        if count != expectedCount { return "\(count) calls, not \(expectedCount)" }
        if manual.keys != model.operations {
            return "operations \(manual.keys): \(model.operations)"
        }
        if clock.sleeperCount != model.pauseCount { return "pauses \(clock.sleeperCount)" }
        let abandonments = manual.abandonments.all.sorted()
        if abandonments != model.abandonments.sorted() {
            return "abandoned \(abandonments): \(model.abandonments.sorted())"
        }
        let late = manual.lateAbandonments.all
        if late != model.lateAbandonments {
            return "found abandoned \(late): \(model.lateAbandonments)"
        }
        let found = outcomes.withLock { $0 }
        for (caller, expected) in model.outcomes.enumerated() where found[caller] != expected {
            return "\(caller): \(found[caller].map { "\($0)" } ?? "waits"), not \(expected as Any)"
        }
        return nil
    }
}
