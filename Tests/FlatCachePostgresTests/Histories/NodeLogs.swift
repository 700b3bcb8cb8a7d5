#if canImport(CPostgres)
import Foundation
import PostgresProbe

@testable import FlatCachePostgres

/// The logs of nodes, as a history of transactions.
struct NodeLogs {
    private(set) var transactions: [AppendTransaction] = []
    private(set) var problems: [String] = []
    private let final: [Int: [UInt64]]
    /// The hashes of the beginnings of the final lists.
    private let hashes: [Int: [UInt64]]

    /// Reads logs.
    ///
    /// - Parameters:
    ///   - files: The logs of the nodes.
    ///   - final: The lists in the database after all transactions.
    init(_ files: [URL], final: [Int: [UInt64]]) throws {
        self.final = final
        hashes = final.mapValues { numbers in
            numbers.reduce(into: [WorkEntry.emptyHash]) { hashes, number in
                hashes.append(WorkEntry.hash(hashes[hashes.count - 1], appending: number))
            }
        }
        for file in files { try read(file) }
        if !transactions.contains(where: { $0.outcome == .committed && !$0.appended.isEmpty }) {
            problems.append("Nothing was written.")
        }
    }

    /// The lists in the database.
    static func lists(in server: PostgresServer, _ schema: String) throws -> [Int: [UInt64]] {
        let rows = try server.session().run("SELECT value FROM \(schema).entry")
        var lists: [Int: [UInt64]] = [:]
        for row in 0..<rows.count {
            let entry = try JSONDecoder().decode(WorkEntry.self, from: Data(rows.text(row, 0).utf8))
            lists[entry.id] = entry.numbers
        }
        return lists
    }

    /// Returns all problems of the logs.
    ///
    /// Each commit of a cache counts as a transaction that reads all lists and writes nothing.
    func check() -> [String] {
        problems + AppendHistory.problems(of: transactions, final: final).map(\.description)
    }

    private mutating func read(_ file: URL) throws {
        let text = try String(contentsOf: file, encoding: .utf8)
        let name = file.lastPathComponent
        var log = Log(name: name)
        // The last line of a killed process may be incomplete.
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let words = line.split(separator: " ")
            let number = words.count > 1 ? String(words[1]) : ""
            switch words.first {
            case "B": log.begun[number] = UInt64(words[2])
            case "A": log.operations[number] = operations(words.dropFirst(2), name)
            case "C": log.ended[number] = UInt64(words[2])
            case "F": log.failed.insert(number)
            case "V":
                let lists = words.dropFirst().compactMap { find("r:" + $0, name) }
                log.commits.append(Dictionary(lists) { _, last in last })
            case "E": log.hasEnded = true
            default: break
            }
        }
        transactions += log.transactions + log.commitTransactions
        if log.hasEnded {
            for (list, numbers) in final where log.lists[list]?.count != numbers.count {
                problems.append("\(name) isn't up to date at the end, in list \(list).")
            }
        }
    }

    private mutating func operations(
        _ words: ArraySlice<Substring>,
        _ name: String
    ) -> [AppendTransaction.Operation] {
        var operations: [AppendTransaction.Operation] = []
        // The lists with the transaction's own numbers, which aren't final ones if it fails.
        var changed: [Int: [UInt64]] = [:]
        for word in words {
            let parts = word.split(separator: ":")
            guard let list = Int(parts[1]), let third = UInt64(parts[2]) else { continue }
            if parts[0] == "a" {
                let found = operations.lazy.compactMap { operation in
                    if case .read(list, let numbers) = operation { Array(numbers) } else { nil }
                }.first
                changed[list, default: found ?? []].append(third)
                operations.append(.append(list, third))
            } else if let numbers = changed[list] {
                let hash = numbers.reduce(WorkEntry.emptyHash) { WorkEntry.hash($0, appending: $1) }
                let isExpected = numbers.count == third && "\(hash)" == parts[3]
                // An attempt that isn't committed may see two states of a list. The check finds
                // that an empty list contradicts the own numbers of one that is.
                operations.append(.read(list, isExpected ? numbers[...] : []))
            } else if let (list, numbers) = find(String(word), name) {
                operations.append(.read(list, numbers))
            }
        }
        return operations
    }

    /// Returns the numbers that a list had.
    private mutating func find(_ word: String, _ name: String) -> (Int, ArraySlice<UInt64>)? {
        let parts = word.split(separator: ":")
        guard parts.count == 4, let list = Int(parts[1]), let count = Int(parts[2]),
            let hash = UInt64(parts[3])
        else { return nil }
        let known = hashes[list] ?? [WorkEntry.emptyHash]
        guard count < known.count, known[count] == hash else {
            problems.append("\(name): \(word) isn't the beginning of the final list.")
            return nil
        }
        return (list, final[list]?.prefix(count) ?? [])
    }

    /// The contents of a log.
    private struct Log {
        let name: String
        var begun: [String: UInt64] = [:]
        var operations: [String: [AppendTransaction.Operation]] = [:]
        var ended: [String: UInt64] = [:]
        var failed: Set<String> = []
        /// The changed lists of each commit of the cache.
        var commits: [[Int: ArraySlice<UInt64>]] = []
        var hasEnded = false

        var transactions: [AppendTransaction] {
            operations.map { number, operations in
                var transaction = AppendTransaction("\(name)/\(number)", operations)
                transaction.began = begun[number]
                transaction.ended = ended[number]
                transaction.outcome =
                    ended[number] != nil
                    ? .committed : failed.contains(number) ? .aborted : .unknown
                return transaction
            }
        }

        /// The lists that the last commit shows.
        var lists: [Int: ArraySlice<UInt64>] {
            commits.reduce(into: [:]) { lists, commit in lists.merge(commit) { $1 } }
        }

        /// The commits, as transactions of a session.
        ///
        /// Each of them reads the lists that it has changed, and those that the next one changes.
        /// Since others are read by a commit before or after it, all of them count.
        var commitTransactions: [AppendTransaction] {
            var lists: [Int: ArraySlice<UInt64>] = [:]
            return commits.indices.map { index in
                let next = index + 1 < commits.count ? commits[index + 1] : [:]
                lists.merge(commits[index]) { $1 }
                let read = Set(commits[index].keys).union(next.keys)
                let reads = read.sorted().map { list in
                    AppendTransaction.Operation.read(list, lists[list] ?? [])
                }
                return AppendTransaction("\(name)#\(index)", reads).in(name)
            }
        }
    }
}
#endif
