/// The rows of one version that a window shows, divided into sections of equal keys.
///
/// An offset is the number of shown rows before a row.
struct SectionedRows<ID: Hashable & Sendable, Key: Hashable & Sendable, Output: Sendable>:
    Sendable
{
    typealias Payload = SectionMember<Key, Output>

    private let rows: QueryRows<ID, Payload>
    private let shown: Range<Int>

    init(_ rows: QueryRows<ID, Payload>, in shown: Range<Int>) {
        self.rows = rows
        self.shown = shown
    }

    /// The keys of the sections, in their order.
    ///
    /// - Complexity: O(*s* log *n*) for *s* sections.
    var keys: [Key?] {
        var keys: [Key?] = []
        var position = shown.lowerBound
        while position < shown.upperBound {
            let row = rows[position]
            keys.append(row.payload.key)
            position = rows.position { QuerySortKey.compareFirst($0.key, row.key) > 0 }
        }
        return keys
    }

    /// Returns the offsets of the rows of a section, or an empty range if there is no such section.
    ///
    /// - Parameter key: The sort key of the section or of one of its rows.
    func offsets(ofSectionAt key: QuerySortKey) -> Range<Int> {
        let start = rows.position { QuerySortKey.compareFirst($0.key, key) >= 0 }
        let end = rows.position { QuerySortKey.compareFirst($0.key, key) > 0 }
        let positions = (start..<end).clamped(to: shown)
        return positions.lowerBound - shown.lowerBound..<positions.upperBound - shown.lowerBound
    }

    /// Returns the offsets of the rows of a section, or an empty range if there is no such section.
    ///
    /// - Parameters:
    ///   - key: The key of the section.
    ///   - isDescending: A Boolean value that indicates whether the greatest key comes first.
    func offsets(ofSection key: Key?, isDescending: Bool) -> Range<Int> where Key: Comparable {
        offsets(ofSectionAt: QuerySortKey(key, isDescending: isDescending))
    }

    /// Returns the offset that a row has, or would have.
    func offset(of row: QueryRow<ID, Payload>) -> Int {
        rows.position(of: row) - shown.lowerBound
    }

    /// Returns the number of sections that begin before an offset.
    func sectionCount(before offset: Int) -> Int {
        rows.summary(of: shown.lowerBound..<shown.lowerBound + offset).count
    }

    subscript(offset: Int) -> QueryRow<ID, Payload> { rows[shown.lowerBound + offset] }

    /// Returns the identifiers of the rows at some offsets.
    func ids(at offsets: Range<Int>) -> [ID] { rows.ids(in: shown.positions(offsets)) }

    /// Returns the computed rows at some offsets.
    func outputs(at offsets: Range<Int>) -> [Output] {
        var outputs: [Output] = []
        outputs.reserveCapacity(offsets.count)
        rows.forEach(in: shown.positions(offsets)) { outputs.append($0.payload.output) }
        return outputs
    }
}
