import TestSupport
import Testing

/// The checker of histories, by histories with one anomaly.
@Suite struct AppendHistoryTests {
    private typealias Transaction = AppendTransaction

    private func kinds(
        _ transactions: AppendTransaction...,
        final: [Int: [UInt64]]? = nil,
        validated: AppendHistory.ValidatedReads = .all
    ) -> [HistoryProblem.Kind] {
        AppendHistory.problems(of: transactions, final: final, validated: validated).map(\.kind)
    }

    @Test("A serial history has no problems")
    func serial() {
        let kinds = kinds(
            Transaction("A", .read(1, []), .append(1, 10), .append(2, 11)),
            Transaction("B", .read(1, [10]), .append(1, 12), .read(1, [10, 12])),
            Transaction("C", .read(2, [11]), .read(1, [10, 12]), .read(3, [])),
            final: [1: [10, 12], 2: [11]]
        )
        #expect(kinds.isEmpty)
    }

    // MARK: Lists

    @Test("A list that isn't the beginning of another one")
    func differentOrders() {
        let writes = [Transaction("A", .append(1, 10)), Transaction("B", .append(1, 11))]
        let reads = [Transaction("C", .read(1, [10, 11])), Transaction("D", .read(1, [11]))]
        let kinds = AppendHistory.problems(of: writes + reads).map(\.kind)
        #expect(kinds.contains(.differentOrders))
    }

    @Test("A number that's there twice, or that no transaction has appended")
    func strangeNumbers() {
        #expect(
            kinds(Transaction("A", .append(1, 10)), Transaction("B", .read(1, [10, 10])))
                == [.duplicate]
        )
        #expect(kinds(Transaction("B", .read(1, [7]))) == [.unwritten])
    }

    @Test("A committed number that the last state lacks, and one that it has in part")
    func lost() {
        let write = Transaction("A", .append(1, 10), .append(2, 11))
        #expect(kinds(write, final: [1: [10]]) == [.lost])
        #expect(kinds(write.with(.unknown), final: [1: [10]]) == [.lost])
        #expect(kinds(write.with(.unknown), final: [:]).isEmpty)
        #expect(kinds(write.with(.unknown), final: [1: [10], 2: [11]]).isEmpty)
        #expect(kinds(write.with(.aborted), final: [:]).isEmpty)
        let reader = Transaction("B", .read(1, [10]))
        #expect(kinds(write, reader, final: [1: [], 2: [11]]).contains(.lost))
    }

    @Test("A transaction that doesn't see its own writes, or sees two states of a list")
    func contradictions() {
        let other = Transaction("A", .append(1, 10))
        #expect(
            kinds(other, Transaction("B", .read(1, [10]), .append(1, 11), .read(1, [10])))
                == [.contradiction]
        )
        #expect(
            kinds(other, Transaction("B", .read(1, []), .read(1, [10]))).contains(.contradiction)
        )
    }

    // MARK: Reads

    @Test("G1a: a read of an aborted write, also in the last state")
    func abortedRead() {
        let aborted = Transaction("A", .append(1, 10)).with(.aborted)
        #expect(kinds(aborted, Transaction("B", .read(1, [10]))) == [.g1a])
        #expect(kinds(aborted, final: [1: [10]]) == [.g1a])
        let later = Transaction("B", .append(1, 11))
        #expect(kinds(aborted, later, Transaction("C", .read(1, [10, 11]))) == [.g1a])
    }

    @Test("G1b: a read between two writes of a transaction")
    func intermediateRead() {
        let write = Transaction("A", .append(1, 10), .append(1, 11))
        let whole = Transaction("C", .read(1, [10, 11]))
        #expect(kinds(write, Transaction("B", .read(1, [10])), whole).contains(.g1b))
        #expect(kinds(write, whole).isEmpty)
    }

    // MARK: Cycles

    @Test("G0: writes of two transactions in different orders")
    func dirtyWrites() {
        let first = Transaction("A", .append(1, 10), .append(2, 11))
        let second = Transaction("B", .append(1, 20), .append(2, 21))
        #expect(kinds(first, second, final: [1: [10, 20], 2: [21, 11]]) == [.g0])
        #expect(kinds(first, second, final: [1: [10, 20], 2: [11, 21]]).isEmpty)
        let twice = Transaction("A", .append(1, 10), .append(1, 11))
        #expect(kinds(twice, Transaction("B", .append(1, 20)), final: [1: [10, 20, 11]]) == [.g0])
    }

    @Test("G1c: two transactions that read each other's writes")
    func circularReads() {
        let kinds = kinds(
            Transaction("A", .append(1, 10), .read(2, [20])),
            Transaction("B", .append(2, 20), .read(1, [10]))
        )
        #expect(kinds == [.g1c])
    }

    @Test("G1c: a cycle of three transactions, through a write after a write")
    func longCircle() {
        let problems = AppendHistory.problems(of: [
            Transaction("A", .append(1, 10), .read(3, [30])),
            Transaction("B", .append(1, 20), .append(2, 21)),
            Transaction("C", .read(2, [21]), .append(3, 30)),
            Transaction("D", .read(1, [10, 20])),
        ])
        #expect(problems.map(\.kind) == [.g1c])
        let text = problems.first?.description ?? ""
        #expect(text.contains("A -ww(1)-> B") && text.contains("B -wr(2)-> C"))
        #expect(!text.contains("D"))
    }

    @Test("G-single: a lost update, and a read of two states")
    func singleAntiDependency() {
        #expect(
            kinds(
                Transaction("A", .read(1, []), .append(1, 10)),
                Transaction("B", .read(1, []), .append(1, 20)),
                final: [1: [10, 20]],
                validated: .ofWrittenLists
            ) == [.gSingle]
        )
        #expect(
            kinds(
                Transaction("A", .append(1, 10), .append(2, 20)),
                Transaction("B", .read(1, []), .read(2, [20])),
                final: [1: [10], 2: [20]],
                validated: .ofWrittenLists
            ) == [.gSingle]
        )
    }

    @Test("G2-item: write skew, which a write may show in what it doesn't write")
    func writeSkew() {
        let skewed = [
            Transaction("A", .read(1, []), .read(2, []), .append(1, 10)),
            Transaction("B", .read(1, []), .read(2, []), .append(2, 20)),
            Transaction("C", .read(1, [10]), .read(2, [20])),
        ]
        let problems = AppendHistory.problems(of: skewed, validated: .all)
        #expect(problems.map(\.kind) == [.g2Item])
        #expect(AppendHistory.problems(of: skewed, validated: .ofWrittenLists).isEmpty)
    }

    @Test("G2-item: two transactions that write nothing see writes in different orders")
    func longFork() {
        let kinds = kinds(
            Transaction("A", .append(1, 10)),
            Transaction("B", .append(2, 20)),
            Transaction("C", .read(1, [10]), .read(2, [])),
            Transaction("D", .read(1, []), .read(2, [20])),
            validated: .ofWrittenLists
        )
        #expect(kinds == [.g2Item])
    }

    // MARK: Order in time

    @Test("A transaction that doesn't see an earlier one")
    func staleRead() {
        let write = Transaction("A", .append(1, 10)).at(1...2)
        let problems = AppendHistory.problems(
            of: [write, Transaction("B", .read(1, [])).at(3...4)],
            final: [1: [10]]
        )
        #expect(problems.map(\.kind) == [.gSingle] && problems.allSatisfy(\.isOfOrder))
        #expect(kinds(write, Transaction("B", .read(1, [])).at(2...4), final: [1: [10]]).isEmpty)
        // The answer of one of an unknown outcome hasn't arrived.
        let unknown = write.with(.unknown)
        #expect(kinds(unknown, Transaction("B", .read(1, [])).at(3...4), final: [1: [10]]).isEmpty)
    }

    @Test("Writes against the order in time, over transactions in between")
    func staleWrite() {
        let problems = AppendHistory.problems(
            of: [
                Transaction("A", .append(1, 10)).at(1...2),
                Transaction("B", .append(2, 20)).at(3...4),
                Transaction("C", .append(1, 30)).at(5...6),
            ],
            final: [1: [30, 10], 2: [20]]
        )
        #expect(problems.map(\.kind) == [.g0] && problems.allSatisfy(\.isOfOrder))
    }

    @Test("A session that goes back")
    func session() {
        let write = Transaction("A", .append(1, 10))
        let (seen, unseen) = (Transaction("B", .read(1, [10])), Transaction("C", .read(1, [])))
        #expect(kinds(write, seen.in("node"), unseen.in("node")) == [.gSingle])
        #expect(kinds(write, unseen.in("node"), seen.in("node")).isEmpty)
        #expect(kinds(write, seen.in("node"), unseen.in("other")).isEmpty)
    }

    // MARK: Random histories

    @Test("A random serial history has no problems, and one with an old read has some")
    func random() {
        RandomTestSettings(seeds: 80).forEachSeed { seed in
            var random = SplitMix64(seed: seed)
            var (transactions, lists) = serialHistory(&random)
            var problems = AppendHistory.problems(of: transactions, final: lists).map(\.description)
            // One transaction misses the last write to a list that it relies on.
            let reads = transactions.indices.flatMap { reader in
                candidates(in: transactions, reader).map { (reader, $0) }
            }
            guard !reads.isEmpty else { return FailureReport(seed: seed, problems: problems) }
            let (reader, operation) = random.pick(reads)
            guard case .read(let list, let numbers) = transactions[reader].operations[operation]
            else { return nil }
            transactions[reader].operations[operation] = .read(list, numbers.dropLast())
            if AppendHistory.problems(of: transactions, final: lists).isEmpty {
                problems.append("\(transactions[reader]) is taken for a good one.")
            }
            return FailureReport(seed: seed, problems: problems)
        }
    }

    /// Returns the indices of the reads that find numbers of transactions that are known to have
    /// ended, in lists that their own transaction relies on.
    private func candidates(in history: [AppendTransaction], _ reader: Int) -> [Int] {
        let transaction = history[reader]
        let appended = transaction.appended
        return transaction.operations.indices.filter { index in
            guard transaction.outcome == .committed,
                case .read(let list, let numbers) = transaction.operations[index],
                let last = numbers.last, appended.isEmpty || appended[list] != nil
            else { return false }
            return history.contains {
                $0.outcome == .committed && $0.operations.contains(.append(list, last))
            }
        }
    }

    private func serialHistory(
        _ random: inout SplitMix64
    ) -> ([AppendTransaction], [Int: [UInt64]]) {
        var lists: [Int: [UInt64]] = [:]
        var next: UInt64 = 0
        let transactions = (0..<30).map { index in
            var transaction = AppendTransaction("\(index)", [])
            var changed = lists
            for _ in 0..<random.number(in: 1...4) {
                let list = random.below(4)
                if transaction.appended[list] == nil {
                    transaction.operations.append(.read(list, changed[list, default: []][...]))
                }
                if random.oneIn(2) {
                    next += 1
                    changed[list, default: []].append(next)
                    transaction.operations.append(.append(list, next))
                }
            }
            if random.oneIn(6) { return transaction.with(.aborted) }
            lists = changed
            let time = UInt64(index) * 10
            return (random.oneIn(8) ? transaction.with(.unknown) : transaction).at(time...time + 5)
        }
        return (transactions, lists)
    }
}
