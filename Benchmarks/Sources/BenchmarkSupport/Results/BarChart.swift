import Foundation

/// A chart of ratios as horizontal bars on a logarithmic axis.
///
/// Bars extend from 1 to the left if the subject is faster and to the right if it is slower. A mark
/// shows each target.
struct BarChart {
    /// One row of the chart.
    struct Bar {
        let name: String
        let title: String
        let ratio: Summary
        let target: Double?
        let isMet: Bool?
    }

    let title: String
    let subtitle: String
    let bars: [Bar]

    private let labelWidth = 430.0
    private let plotWidth = 420.0
    private let valueWidth = 70.0
    private let barHeight = 14.0
    private let rowHeight = 22.0
    private let top = 84.0

    /// Returns the chart as a self-contained document.
    func svg() -> String {
        let height = top + Double(bars.count) * rowHeight + 46
        let width = labelWidth + plotWidth + valueWidth
        var lines = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(text(width)) \(text(height))" \
            width="\(text(width))" height="\(text(height))" \
            font-family="Helvetica, Arial, sans-serif" font-size="12" fill="#24292f">
            """,
            "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>",
            label(title, x: 16, y: 26, attributes: "font-size=\"16\" font-weight=\"bold\""),
            label(subtitle, x: 16, y: 46, attributes: "fill=\"#57606a\""),
        ]
        lines += axis()
        for (index, bar) in bars.enumerated() {
            lines += drawn(bar, y: top + Double(index) * rowHeight)
        }
        lines += legend(y: height - 16)
        return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    // MARK: Scale

    // A larger or smaller ratio is drawn to the edge; the number beside the bar is exact.
    private static let limits = (lowest: 0.01, highest: 100.0)

    private var lowest: Double {
        let smallest = bars.map(\.ratio.median).min() ?? 1
        return Self.ticks.last { $0 <= smallest && $0 < 1 } ?? Self.limits.lowest
    }

    private var highest: Double {
        let largest = bars.map { max($0.ratio.median, $0.target ?? 0) }.max() ?? 1
        return Self.ticks.first { $0 >= largest && $0 > 1 } ?? Self.limits.highest
    }

    private static let ticks = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100]

    private func position(_ ratio: Double) -> Double {
        let clamped = min(max(ratio, lowest), highest)
        return labelWidth + plotWidth * log(clamped / lowest) / log(highest / lowest)
    }

    // MARK: Parts

    private func axis() -> [String] {
        let bottom = top + Double(bars.count) * rowHeight
        return Self.ticks.filter { $0 >= lowest && $0 <= highest }.flatMap { tick in
            let x = text(position(tick))
            let color = tick == 1 ? "#57606a" : "#d8dee4"
            return [
                """
                <line x1="\(x)" y1="\(text(top - 6))" x2="\(x)" y2="\(text(bottom))" \
                stroke="\(color)"/>
                """,
                label(
                    String(format: "%g", tick),
                    x: position(tick),
                    y: top - 12,
                    attributes: "text-anchor=\"middle\" font-size=\"11\" fill=\"#57606a\""
                ),
            ]
        }
    }

    private func drawn(_ bar: Bar, y: Double) -> [String] {
        let middle = y + rowHeight / 2
        let start = position(1)
        let end = position(bar.ratio.median)
        var lines = [
            label(bar.name, x: 16, y: middle + 4),
            label(bar.title, x: 56, y: middle + 4),
            """
            <rect x="\(text(min(start, end)))" y="\(text(middle - barHeight / 2))" \
            width="\(text(max(1, abs(end - start))))" height="\(text(barHeight))" \
            fill="\(Self.color(bar.isMet))"/>
            """,
            """
            <line x1="\(text(position(bar.ratio.minimum)))" y1="\(text(middle))" \
            x2="\(text(position(bar.ratio.maximum)))" y2="\(text(middle))" stroke="#24292f"/>
            """,
        ]
        if let target = bar.target {
            let x = text(position(target))
            lines.append(
                """
                <line x1="\(x)" y1="\(text(y + 1))" x2="\(x)" y2="\(text(y + rowHeight - 1))" \
                stroke="#24292f" stroke-width="3"/>
                """
            )
        }
        lines.append(
            label(
                Format.number(bar.ratio.median),
                x: labelWidth + plotWidth + valueWidth - 10,
                y: middle + 4,
                attributes: "text-anchor=\"end\""
            )
        )
        return lines
    }

    private func legend(y: Double) -> [String] {
        let entries: [(Bool?, String)] = [
            (true, "target met"), (false, "target missed"), (nil, "no target"),
        ]
        let boxes = entries.enumerated().flatMap { index, entry in
            let x = 16 + Double(index) * 120
            return [
                """
                <rect x="\(text(x))" y="\(text(y - 10))" width="12" height="12" \
                fill="\(Self.color(entry.0))"/>
                """,
                label(entry.1, x: x + 18, y: y),
            ]
        }
        let explanation =
            "thick mark: target; thin line: from the least to the greatest of the rounds"
        return boxes + [label(explanation, x: 16 + 3 * 120, y: y)]
    }

    private static func color(_ isMet: Bool?) -> String {
        switch isMet {
        case true?: "#4c9f70"
        case false?: "#d1693f"
        case nil: "#9aa4af"
        }
    }

    private func label(_ string: String, x: Double, y: Double, attributes: String = "") -> String {
        let escaped =
            string
            .replacingOccurrences(of: "&", with: "&amp;")
            .replacingOccurrences(of: "<", with: "&lt;")
            .replacingOccurrences(of: ">", with: "&gt;")
        return "<text x=\"\(text(x))\" y=\"\(text(y))\" \(attributes)>\(escaped)</text>"
    }

    private func text(_ number: Double) -> String {
        String(format: "%g", (number * 10).rounded() / 10)
    }
}

extension BarChart.Bar {
    init(_ result: RowResult) {
        self.init(
            name: result.row,
            title: result.title,
            ratio: result.ratio,
            target: result.target,
            isMet: result.isMet
        )
    }
}
