import FlatCache
package import FlatCachePostgres

/// A list of numbers, to which transactions append.
///
/// A slot is a sequence of lists. After a list has become long, transactions append to the next
/// list of its slot, so that a long run has no long rows.
package struct WorkEntry: CacheEntity, Codable, Equatable {
    static let slotCount = 8
    static let fullCount = 60

    package let id: Int
    package var numbers: [UInt64]

    package init(id: Int, numbers: [UInt64]) {
        self.id = id
        self.numbers = numbers
    }

    /// The hash of an empty list.
    package static let emptyHash: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Returns the hash of a list and a further number.
    package static func hash(_ hash: UInt64, appending number: UInt64) -> UInt64 {
        (hash ^ number) &* 0x100_0000_01B3
    }

    /// The list as a log describes it: its length and its hash, since it's part of a later one.
    package static func summary(_ numbers: some Sequence<UInt64>) -> String {
        var (count, hash) = (0, emptyHash)
        for number in numbers {
            hash = self.hash(hash, appending: number)
            count += 1
        }
        return "\(count):\(hash)"
    }
}

/// A client of a node, which performs one random transaction after another, and logs them.
package struct WorkClient: Sendable {
    private enum Step {
        case read(slot: Int)
        case append(slot: Int, count: Int)
    }

    private let graph: PostgresGraph
    private let log: WorkLog
    /// The unique number of the next transaction.
    private var number: UInt64
    private var random: WorkRandom
    /// The number of the present list of each slot.
    private var rounds = Array(repeating: 0, count: WorkEntry.slotCount)

    package init(
        _ graph: PostgresGraph,
        _ log: WorkLog,
        node: UInt64,
        client: Int,
        seed: UInt64
    ) {
        self.graph = graph
        self.log = log
        number = node << 40 | UInt64(client) << 24
        random = WorkRandom(seed: seed &* 1_000 &+ node &* 100 &+ UInt64(client))
    }

    mutating func pause(upTo milliseconds: Int) -> Duration {
        .milliseconds(random.below(milliseconds + 1))
    }

    /// Appends numbers to some lists and reads others, as one write.
    package mutating func perform() async {
        let number = number
        self.number += 1
        let (steps, isRolledBack) = (makeSteps(), random.below(20) == 0)
        log.append("B \(number) \(WorkLog.now)")
        do {
            rounds = try await graph.write(attempts: 1_000) { [log, rounds] batch in
                var rounds = rounds
                var operations: [String] = []
                // The test knows the transaction of a number by its upper bits.
                var next = number << 3
                for step in steps {
                    switch step {
                    case .read(let slot):
                        let id = slot + WorkEntry.slotCount * rounds[slot]
                        let entry = try await batch.get(WorkEntry.self, id: id)
                        operations.append("r:\(id):\(WorkEntry.summary(entry?.numbers ?? []))")
                    case .append(let slot, let count):
                        var id = slot + WorkEntry.slotCount * rounds[slot]
                        var entry = try await batch.get(WorkEntry.self, id: id)
                        operations.append("r:\(id):\(WorkEntry.summary(entry?.numbers ?? []))")
                        while let found = entry, found.numbers.count >= WorkEntry.fullCount {
                            rounds[slot] += 1
                            id += WorkEntry.slotCount
                            entry = try await batch.get(WorkEntry.self, id: id)
                            operations.append("r:\(id):\(WorkEntry.summary(entry?.numbers ?? []))")
                        }
                        for _ in 0..<count {
                            operations.append("a:\(id):\(next)")
                            if var changed = try await batch.get(WorkEntry.self, id: id) {
                                changed.numbers.append(next)
                                batch.set(changed)
                            } else {
                                batch.insert(WorkEntry(id: id, numbers: [next]))
                            }
                            next += 1
                        }
                    }
                }
                // The line of the last attempt describes the transaction.
                log.append("A \(number) \(operations.joined(separator: " "))")
                if isRolledBack { throw RolledBack() }
                return rounds
            }.value
            log.append("C \(number) \(WorkLog.now)")
        } catch let error as PostgresGraphError where error.kind == .unknownOutcome {
            log.append("U \(number)")
        } catch {
            log.append("F \(number)")
        }
    }

    /// Chooses one to three slots to append to, and up to three to read, or slots to read only.
    private mutating func makeSteps() -> [Step] {
        var steps: [Step] = []
        var free = Array(0..<WorkEntry.slotCount)
        func take(_ random: inout WorkRandom) -> Int { free.remove(at: random.below(free.count)) }
        if random.below(6) > 0 {
            for _ in 0...random.below(3) {
                let slot = take(&random)
                steps.append(.append(slot: slot, count: random.below(4) == 0 ? 2 : 1))
                if random.below(6) == 0 { steps.append(.read(slot: slot)) }
            }
        } else {
            for _ in 0..<2 { steps.append(.read(slot: take(&random))) }
        }
        for _ in 0..<random.below(3) {
            steps.insert(.read(slot: take(&random)), at: random.below(steps.count + 1))
        }
        return steps
    }
}

private struct RolledBack: Error {}

/// A generator that returns the same numbers for a seed.
private struct WorkRandom: Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func below(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(limit))
    }
}
