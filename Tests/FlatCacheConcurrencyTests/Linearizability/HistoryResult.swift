@testable import FlatCacheTestSupport

/// The result of a call of a history.
indirect enum HistoryResult: Equatable, Sendable {
    case nothing
    /// The entries of a value, or `nil` if it was absent.
    case value([Int]?)
    case flag(Bool)
    case count(Int)
    /// The results of the calls in a closure, or several values.
    case list([HistoryResult])
    /// The results of the calls in a closure that then threw an error.
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
