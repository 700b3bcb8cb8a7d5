@testable import FlatCacheTestSupport

extension ModelOperation: CustomStringConvertible {
    var description: String { lines.joined(separator: "\n") }

    private var lines: [String] {
        switch self {
        case .set(let record, let access):
            ["set \(record) through \(access)"]
        case .setAll(let kind, let records, let access):
            ["set all of \(kind) through \(access):"] + records.map { "    \($0)" }
        case .replace(let record, let access):
            ["replace \(record) through \(access)"]
        case .update(let update):
            [
                """
                update \(update.key) to label \(update.label.map(String.init) ?? "nil"), \
                links \(update.links.map { "\($0)" } ?? "nil") through \(update.access), \
                \(update.outcome)\(update.inside.isEmpty ? "" : ", inside:")
                """
            ] + Self.indented(update.inside)
        case .remove(let key, let access):
            ["remove \(key) through \(access)"]
        case .removeKind(let kind, let access):
            ["remove all of \(kind) through \(access)"]
        case .removeAll(let access):
            ["remove all through \(access)"]
        case .prune:
            ["prune"]
        case .batch(let batch):
            ["batch, \(batch.outcome)\(batch.hasCompletion ? ", with completion" : ""):"]
                + Self.indented(batch.inside)
        case .observe(let slot, let observation):
            [
                """
                observe \(observation.form) of \(observation.key) in slot \(slot) through \
                \(observation.access), following \(observation.following)\
                \(observation.isInitial ? ", initial" : "")\
                \(observation.isRemote ? ", on another thread" : "")\
                \(observation.reactions.isEmpty ? "" : ", reacting with:")
                """
            ] + Self.indented(observation.reactions)
        case .dispose(let slot, let byDropping):
            ["dispose of slot \(slot)\(byDropping ? " by dropping it" : "")"]
        case .snapshot(let inside):
            ["snapshot around:"] + Self.indented(inside)
        case .dropHandles:
            ["drop handles"]
        }
    }

    private static func indented(_ operations: [ModelOperation]) -> [String] {
        operations.flatMap(\.lines).map { "    " + $0 }
    }
}
