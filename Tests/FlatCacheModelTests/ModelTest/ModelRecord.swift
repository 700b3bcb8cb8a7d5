@testable import FlatCacheTestSupport

/// The contents of an entity of the model test, independent of the entity's type.
struct ModelRecord: Hashable, Sendable {
    let key: ModelKey
    var label: Int?
    /// The related keys, or `nil` in a partial value.
    var links: [ModelKey]?
    /// A number that the comparison of tags ignores.
    var stamp = 0

    /// Returns the result of merging a newer record into this one, as pages do.
    func merged(with other: ModelRecord) -> ModelRecord {
        ModelRecord(
            key: key,
            label: other.label ?? label,
            links: other.links ?? links,
            stamp: other.stamp
        )
    }

    func isEqualButForStamp(to other: ModelRecord) -> Bool {
        key == other.key && label == other.label && links == other.links
    }
}

extension ModelRecord: CustomStringConvertible {
    var description: String {
        let label = label.map { "label \($0)" } ?? "no label"
        let links = links.map { "links \($0)" } ?? "no links"
        return "\(key) {\(label), \(links), stamp \(stamp)}"
    }
}
