@testable import FlatCacheTestSupport

extension HistoryOperation {
    /// The name of the call's kind, by which calls are counted.
    var name: String {
        switch self {
        case .get: "get"
        case .contains: "contains"
        case .count: "count"
        case .ids: "ids"
        case .values: "values"
        case .query: "query"
        case .keepCurrent: "keep current"
        case .set: "set"
        case .setAll: "set all"
        case .replace: "replace"
        case .append(_, _, _, .returns): "append"
        case .append(_, _, _, .fails): "failing append"
        case .remove: "remove"
        case .removeKind: "remove kind"
        case .removeAll: "remove all"
        case .batch(_, .returns): "batch"
        case .batch(_, .fails): "failing batch"
        case .observe: "observe"
        case .snapshot: "snapshot"
        }
    }
}

extension HistoryOperation: CustomStringConvertible {
    var description: String {
        switch self {
        case .get(let key, let access): "get \(key)\(access)"
        case .contains(let key): "contains \(key)"
        case .count(let kind): "count of \(kind)s"
        case .ids(let kind): "ids of \(kind)s"
        case .values(let kind): "values of \(kind)s"
        case .query(let key, let access): "query of \(key)\(access)"
        case .keepCurrent(let key): "begin or end to keep \(key) current"
        case .set(let key, let entry, let access): "set \(entry) in \(key)\(access)"
        case .setAll(let kind, let values):
            "set all of "
                + values.map { "\($0.entry) in \(kind) \($0.number)" }.joined(separator: ", ")
        case .replace(let key, let entries): "replace \(key) by \(entries)"
        case .append(let key, let entry, let access, let outcome):
            "append \(entry) to \(key)\(access)\(outcome)"
        case .remove(let key, let access): "remove \(key)\(access)"
        case .removeKind(let kind): "remove all \(kind)s"
        case .removeAll: "remove all"
        case .batch(let steps, let outcome): "batch (\(Self.list(steps)))\(outcome)"
        case .observe(let key): "observe \(key)"
        case .snapshot(let reads): "snapshot (\(Self.list(reads)))"
        }
    }

    private static func list(_ operations: [HistoryOperation]) -> String {
        operations.map { "\($0)" }.joined(separator: "; ")
    }
}

extension HistoryOperation.Access: CustomStringConvertible {
    var description: String {
        switch self {
        case .direct: ""
        case .cache: " through the cache"
        case .handle: " through a handle"
        case .newHandle: " through a new handle"
        case .observations: " through its observations"
        }
    }
}

extension HistoryOperation.Outcome: CustomStringConvertible {
    var description: String {
        switch self {
        case .returns: ""
        case .fails: ", then throw"
        }
    }
}
