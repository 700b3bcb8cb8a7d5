@testable import FlatCacheTestSupport

/// The specification of the calls: their effects and results if they run one after another.
struct HistoryState: Hashable, Sendable {
    typealias Contents = [HistoryKey: [Int]]

    private(set) var contents: Contents

    init(_ contents: Contents = [:]) {
        self.contents = contents
    }

    /// Makes a call.
    ///
    /// - Returns: The result that the call must have.
    mutating func perform(_ operation: HistoryOperation) -> HistoryResult {
        perform(operation, committed: contents)
    }

    /// Makes a call on its own or inside a batch.
    ///
    /// - Parameter committed: The contents that other threads see, without the writes of the batch.
    private mutating func perform(
        _ operation: HistoryOperation,
        committed: Contents
    ) -> HistoryResult {
        switch operation {
        case .get(let key, .direct):
            return .value(contents[key])
        case .get(let key, .cache), .get(let key, .handle), .get(let key, .newHandle),
            .get(let key, .observations), .observe(let key):
            return .value(committed[key])
        case .contains(let key):
            return .flag(contents[key] != nil)
        case .count(let kind):
            return .count(keys(of: kind).count)
        case .ids(let kind):
            return .list(keys(of: kind).map { .count($0.number) })
        case .values(let kind):
            return .list(keys(of: kind).map { .value(contents[$0]) })
        case .query(let key, let access):
            let visible = access == .direct ? contents : committed
            return .list(key.query.rows(of: key.kind, in: visible).map { .value($0) })
        case .keepCurrent:
            return .nothing
        case .set(let key, let entry, let access):
            let stored = set(key, entry)
            return access.showsWrites ? stored : .nothing
        case .setAll(let kind, let values):
            return .list(values.map { set(HistoryKey(kind: kind, number: $0.number), $0.entry) })
        case .replace(let key, let entries):
            contents[key] = entries
            return .value(entries)
        case .append(let key, let entry, _, let outcome):
            guard let entries = contents[key] else { return .value(nil) }
            guard outcome == .returns else { return .failure([]) }
            contents[key] = entries + [entry]
            return .value(contents[key])
        case .remove(let key, let access):
            let removed = contents.removeValue(forKey: key)
            return access.showsWrites ? .value(removed) : .nothing
        case .removeKind(let kind):
            let removed = keys(of: kind)
            for key in removed { contents[key] = nil }
            return .count(removed.count)
        case .removeAll:
            defer { contents = [:] }
            return .count(contents.count)
        case .batch(let steps, let outcome):
            let before = contents
            let results = steps.map { perform($0, committed: committed) }
            guard outcome == .fails else { return .list(results) }
            contents = before
            return .failure(results)
        case .snapshot(let reads):
            var visible = HistoryState(committed)
            return .list(reads.map { visible.perform($0) })
        }
    }

    private mutating func set(_ key: HistoryKey, _ entry: Int) -> HistoryResult {
        let existing = key.kind == .mergingList ? contents[key] ?? [] : []
        contents[key] = existing + [entry]
        return .value(contents[key])
    }

    /// Returns the keys of the values of a kind, ordered by number.
    private func keys(of kind: HistoryKey.Kind) -> [HistoryKey] {
        contents.keys.filter { $0.kind == kind }.sorted { $0.number < $1.number }
    }
}

extension HistoryOperation.Access {
    /// A Boolean value that indicates whether a write returns the stored value, which a handle's
    /// setter doesn't.
    var showsWrites: Bool { self == .direct || self == .cache }
}

extension HistoryState: CustomStringConvertible {
    var description: String {
        contents.isEmpty
            ? "nothing"
            : contents.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", ")
    }
}
