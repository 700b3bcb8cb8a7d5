/// A history of transactions that append unique numbers to lists, and the check of its isolation.
///
/// A list that a transaction reads shows the order of all earlier writes to it, so the dependencies
/// of the transactions are known without a search: Kingsbury and Alvaro, "Elle: Inferring Isolation
/// Anomalies from Experimental Observations" (2020). A cycle of them is an anomaly.
struct AppendHistory {
    /// The reads that a history's transactions rely on.
    enum ValidatedReads {
        /// All reads. The history must be serializable.
        case all
        /// The reads of the lists to which the transaction appends, and all reads of a transaction
        /// that appends nothing.
        ///
        /// Other reads show committed writes, but later writes to the same lists may precede the
        /// transaction ("write skew").
        case ofWrittenLists
    }

    private let transactions: [AppendTransaction]
    private let final: [Int: [UInt64]]?
    private let validated: ValidatedReads
    /// The transaction that has appended a number.
    private var writers: [UInt64: Int] = [:]
    /// The orders of the numbers of lists.
    private var orders: [Int: ArraySlice<UInt64>] = [:]
    /// The transactions that are committed, as far as the history shows it.
    private var committed: [Bool] = []
    private var problems: [HistoryProblem] = []

    /// Checks a history.
    ///
    /// - Parameters:
    ///   - transactions: The transactions. Those of a session are in its order.
    ///   - final: The lists after all transactions, or `nil` if they aren't known.
    ///   - validated: The reads that the transactions rely on.
    /// - Returns: The problems. There are none if committed transactions read committed writes only
    ///   (no G0, G1a, G1b or G1c), and if they, with their validated reads, could have run one
    ///   after another (no G-single and G2-item), in an order that agrees with that in each session
    ///   and with that of their times.
    static func problems(
        of transactions: [AppendTransaction],
        final: [Int: [UInt64]]? = nil,
        validated: ValidatedReads = .ofWrittenLists
    ) -> [HistoryProblem] {
        var history = AppendHistory(transactions, final, validated)
        history.findOrders()
        history.checkReads()
        history.problems += history.dependencies().problems()
        return history.problems
    }

    private init(
        _ transactions: [AppendTransaction],
        _ final: [Int: [UInt64]]?,
        _ validated: ValidatedReads
    ) {
        self.transactions = transactions
        self.final = final
        self.validated = validated
        for (index, transaction) in transactions.enumerated() {
            for case .append(_, let number) in transaction.operations { writers[number] = index }
        }
    }

    // MARK: Orders

    /// The reads of lists as committed transactions found them.
    ///
    /// The reads of a transaction of an unknown outcome may belong to an attempt that wasn't sent.
    private var finds: [(reader: Int, list: Int, numbers: ArraySlice<UInt64>)] {
        transactions.enumerated().flatMap { index, transaction in
            transaction.outcome == .committed
                ? transaction.found.map { (index, $0.list, $0.numbers) } : []
        }
    }

    private mutating func findOrders() {
        let finds = finds
        for (list, numbers) in final ?? [:] { orders[list] = numbers[...] }
        for find in finds where find.numbers.count > orders[find.list]?.count ?? 0 {
            orders[find.list] = find.numbers
        }
        for find in finds {
            let order = orders[find.list] ?? []
            if order.prefix(find.numbers.count) != find.numbers {
                report(.differentOrders, find.list, find.reader, find.numbers, order)
            }
        }
        committed = transactions.map { $0.outcome == .committed }
        for (list, order) in orders {
            if let final, final[list]?.count ?? 0 < order.count {
                problems.append(HistoryProblem(.lost, "list \(list) has lost \(order)"))
            }
            var seen: Set<UInt64> = []
            for number in order {
                if !seen.insert(number).inserted {
                    problems.append(HistoryProblem(.duplicate, "list \(list), number \(number)"))
                }
                guard let writer = writers[number] else {
                    problems.append(HistoryProblem(.unwritten, "list \(list), number \(number)"))
                    continue
                }
                if transactions[writer].outcome == .unknown { committed[writer] = true }
            }
        }
        guard final != nil else { return }
        for (index, transaction) in transactions.enumerated() where committed[index] {
            for (list, numbers) in transaction.appended {
                let order = orders[list] ?? []
                for number in numbers where !order.contains(number) {
                    problems.append(
                        HistoryProblem(.lost, "\(transaction.name), list \(list), number \(number)")
                    )
                }
            }
        }
    }

    private mutating func report(
        _ kind: HistoryProblem.Kind,
        _ list: Int,
        _ reader: Int,
        _ numbers: ArraySlice<UInt64>,
        _ order: ArraySlice<UInt64>
    ) {
        let text = "\(transactions[reader].name) found list \(list) as \(Array(numbers))"
        problems.append(HistoryProblem(kind, text + ", and it's \(Array(order))"))
    }

    // MARK: Reads

    private mutating func checkReads() {
        for (index, transaction) in transactions.enumerated() where committed[index] {
            if let text = transaction.contradiction {
                problems.append(HistoryProblem(.contradiction, "\(transaction.name): \(text)"))
            }
        }
        for find in finds {
            for number in find.numbers {
                guard let writer = writers[number], transactions[writer].outcome == .aborted
                else { continue }
                report(.g1a, find.list, find.reader, find.numbers, [number])
            }
            if let last = find.numbers.last, let writer = writers[last], writer != find.reader,
                let own = transactions[writer].appended[find.list], own.last != last
            {
                report(.g1b, find.list, find.reader, find.numbers, own[...])
            }
        }
        // The final state is read, too.
        for (list, numbers) in final ?? [:] {
            for number in numbers {
                guard let writer = writers[number], transactions[writer].outcome == .aborted
                else { continue }
                problems.append(
                    HistoryProblem(
                        .g1a,
                        "list \(list) has \(number) of \(transactions[writer].name)"
                    )
                )
            }
        }
    }

    // MARK: Dependencies

    private func dependencies() -> DependencyGraph {
        var graph = DependencyGraph(transactions.map(\.name))
        for (list, order) in orders {
            for (first, second) in zip(order, order.dropFirst()) {
                guard let from = writer(of: first), let to = writer(of: second) else { continue }
                graph.add(.writeWrite(list), from, to)
            }
        }
        for find in finds {
            if let last = find.numbers.last, let writer = writer(of: last) {
                graph.add(.writeRead(find.list), writer, find.reader)
            }
            guard let order = orders[find.list], find.numbers.count < order.count,
                let next = writer(of: order[order.startIndex + find.numbers.count]),
                isValidated(find.list, transactions[find.reader])
            else { continue }
            graph.add(.readWrite(find.list), find.reader, next)
        }
        addSessions(to: &graph)
        addTimes(to: &graph)
        return graph
    }

    /// Returns the transaction that has appended a number, if it's committed.
    private func writer(of number: UInt64) -> Int? {
        writers[number].flatMap { committed[$0] ? $0 : nil }
    }

    private func isValidated(_ list: Int, _ transaction: AppendTransaction) -> Bool {
        let appended = transaction.appended
        return validated == .all || appended.isEmpty || appended[list] != nil
    }

    private func addSessions(to graph: inout DependencyGraph) {
        var last: [String: Int] = [:]
        for (index, transaction) in transactions.enumerated() where committed[index] {
            guard let session = transaction.session else { continue }
            if let former = last[session] { graph.add(.order, former, index) }
            last[session] = index
        }
    }

    /// Adds the order of transactions of which one has ended before the other one began.
    ///
    /// It adds none that follows from others: the frontier are the transactions that have ended
    /// last.
    private func addTimes(to graph: inout DependencyGraph) {
        var events: [(time: UInt64, isEnd: Bool, index: Int)] = []
        for (index, transaction) in transactions.enumerated() where committed[index] {
            if let began = transaction.began { events.append((began, false, index)) }
            // The answer to one of an unknown outcome hasn't arrived.
            if let ended = transaction.ended, transaction.outcome == .committed {
                events.append((ended, true, index))
            }
        }
        events.sort { ($0.time, $0.isEnd ? 1 : 0) < ($1.time, $1.isEnd ? 1 : 0) }
        var frontier: Set<Int> = []
        var predecessors: [Int: Set<Int>] = [:]
        for event in events {
            if event.isEnd {
                frontier.subtract(predecessors[event.index] ?? [])
                frontier.insert(event.index)
            } else {
                predecessors[event.index] = frontier
                for former in frontier { graph.add(.order, former, event.index) }
            }
        }
    }
}
