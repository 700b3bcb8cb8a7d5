/// The results as lines of text.
///
/// Each line can be printed as soon as its row is complete.
public struct TextTable {
    private let titleWidth: Int
    private let againstWidth: Int

    /// Creates a table with room for some rows.
    public init(_ rows: [Row]) {
        titleWidth = rows.map(\.title.count).max() ?? 0
        againstWidth = rows.map(\.baseline.count).max() ?? 0
    }

    /// The lines above the rows.
    public var header: String {
        let names = line(
            row: "row",
            title: "what",
            against: "against",
            cells: ["baseline", "subject", "ratio", "min", "max", "target"],
            verdict: "met"
        )
        return names + "\n" + String(repeating: "-", count: names.count)
    }

    /// Returns the line of a row: the medians, and the extremes of the ratio.
    public func line(_ result: RowResult) -> String {
        line(
            row: result.row,
            title: result.title,
            against: result.against,
            cells: [
                Format.measurement(result.baseline.median, result.unit),
                Format.measurement(result.subject.median, result.unit),
                Format.number(result.ratio.median),
                Format.number(result.ratio.minimum),
                Format.number(result.ratio.maximum),
                result.target.map(Format.number) ?? "",
            ],
            verdict: result.isMet.map { $0 ? "yes" : "NO" } ?? "-"
        )
    }

    /// Returns the line of a row that has no result.
    public func line(_ row: Row, remark: String) -> String {
        "\(row.name.padded(to: 4)) \(row.title.padded(to: titleWidth))  \(remark)"
    }

    private func line(
        row: String,
        title: String,
        against: String,
        cells: [String],
        verdict: String
    ) -> String {
        let left = [
            row.padded(to: 4), title.padded(to: titleWidth), against.padded(to: againstWidth),
        ]
        let widths = [9, 9, 8, 8, 8, 7]
        let right = zip(cells, widths).map { $0.padded(to: $1, leading: true) }
        return (left + right + [verdict]).joined(separator: " ")
    }
}

extension String {
    fileprivate func padded(to width: Int, leading: Bool = false) -> String {
        let padding = String(repeating: " ", count: max(0, width - count))
        return leading ? padding + self : self + padding
    }
}
