/// What a call of a history has shown.
indirect enum HistoryResult: Equatable, Sendable {
    case nothing
    /// The entries of a value, or `nil` if there was none.
    case value([Int]?)
    case flag(Bool)
    case count(Int)
    /// What several calls in a closure have shown, or several values.
    case list([HistoryResult])
    /// A closure threw, after calls in it had shown this.
    case failure([HistoryResult])
}

extension HistoryResult: CustomStringConvertible {
    var description: String {
        switch self {
        case .nothing: "nothing"
        case .value(let entries): entries.map { "\($0)" } ?? "nil"
        case .flag(let flag): "\(flag)"
        case .count(let count): "\(count)"
        case .list(let results): "(\(Self.list(results)))"
        case .failure(let results): "(\(Self.list(results))), threw"
        }
    }

    private static func list(_ results: [HistoryResult]) -> String {
        results.map { "\($0)" }.joined(separator: "; ")
    }
}
