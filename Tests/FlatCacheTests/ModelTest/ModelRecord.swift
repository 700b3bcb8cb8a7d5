/// What an entity of the model test holds, whatever its type.
struct ModelRecord: Hashable, Sendable {
    let key: ModelKey
    var label: Int?
    /// What the entity refers to; `nil` if that is not known.
    var links: [ModelKey]?
    /// What tags do not compare.
    var stamp = 0

    /// What a page makes of itself and a newer one.
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
