/// A transaction of a history: it reads lists, and appends unique numbers to them.
struct AppendTransaction: Sendable {
    enum Operation: Hashable, Sendable {
        case read(_ list: Int, ArraySlice<UInt64>)
        case append(_ list: Int, UInt64)
    }

    enum Outcome: Sendable {
        case committed, aborted
        /// It's committed if one of its numbers is in a list.
        case unknown
    }

    let name: String
    var operations: [Operation]
    var outcome = Outcome.committed
    /// The session in which the transactions happen one after another, as in the history.
    var session: String?
    /// A time before the transaction began.
    var began: UInt64?
    /// A time after its answer had arrived.
    var ended: UInt64?

    init(_ name: String, _ operations: Operation...) {
        self.init(name, operations)
    }

    init(_ name: String, _ operations: [Operation]) {
        self.name = name
        self.operations = operations
    }

    /// The transaction with another outcome.
    func with(_ outcome: Outcome) -> AppendTransaction {
        var copy = self
        copy.outcome = outcome
        return copy
    }

    /// The transaction in a session.
    func `in`(_ session: String) -> AppendTransaction {
        var copy = self
        copy.session = session
        return copy
    }

    /// The transaction at a time.
    func at(_ time: ClosedRange<UInt64>) -> AppendTransaction {
        var copy = self
        (copy.began, copy.ended) = (time.lowerBound, time.upperBound)
        return copy
    }
}

extension AppendTransaction {
    /// The numbers that the transaction appends, by list.
    var appended: [Int: [UInt64]] {
        var appended: [Int: [UInt64]] = [:]
        for case .append(let list, let number) in operations {
            appended[list, default: []].append(number)
        }
        return appended
    }

    /// The first read of each list to which the transaction hasn't appended before.
    var found: [(list: Int, numbers: ArraySlice<UInt64>)] {
        var seen: Set<Int> = []
        return operations.compactMap { operation in
            switch operation {
            case .read(let list, let numbers):
                return seen.insert(list).inserted ? (list, numbers) : nil
            case .append(let list, _):
                seen.insert(list)
                return nil
            }
        }
    }

    /// A description of the first read that contradicts the transaction's own operations, or `nil`.
    var contradiction: String? {
        var known: [Int: [UInt64]] = [:]
        for operation in operations {
            switch operation {
            case .append(let list, let number): known[list]?.append(number)
            case .read(let list, let numbers):
                if let expected = known[list], !expected.elementsEqual(numbers) {
                    return "list \(list) is \(Array(numbers)) instead of \(expected)"
                }
                known[list] = Array(numbers)
            }
        }
        return nil
    }
}

/// A violation of an isolation level in a history.
struct HistoryProblem: Hashable, Sendable, CustomStringConvertible {
    /// The phenomena of Adya, "Weak Consistency" (1999), and others that no database may show.
    enum Kind: String, Hashable, Sendable {
        /// A cycle of writes after writes.
        case g0 = "G0"
        /// A read of an aborted transaction's write.
        case g1a = "G1a"
        /// A read of a write that its transaction follows by another one to the same list.
        case g1b = "G1b"
        /// A cycle of writes after writes and reads of writes.
        case g1c = "G1c"
        /// A cycle with one write after a read, such as a lost update.
        case gSingle = "G-single"
        /// A cycle with several writes after reads, such as write skew.
        case g2Item = "G2-item"
        /// A transaction reads other numbers than it has read or appended before.
        case contradiction
        /// Two lists of which neither begins with the other.
        case differentOrders = "different orders"
        case duplicate, unwritten, lost
    }

    let kind: Kind
    /// `true` if the cycle contains the order in time, so that the transactions alone would be
    /// serializable.
    var isOfOrder = false
    let description: String

    init(_ kind: Kind, isOfOrder: Bool = false, _ text: String) {
        self.kind = kind
        self.isOfOrder = isOfOrder
        description = kind.rawValue + (isOfOrder ? " with order in time" : "") + ": " + text
    }
}
