#if os(Linux)
/// The time for which tasks were stalled for lack of memory, as reported by the kernel.
struct MemoryStalls: Equatable, Sendable {
    /// The values of one line of the file.
    struct Measure: Equatable, Sendable {
        /// The percentage of the last ten seconds.
        var recent: Double
        /// The total time since the machine was started, in microseconds.
        var total: UInt64
    }

    /// The time in which at least one task was stalled.
    var some: Measure
    /// The time in which all tasks with work to do were stalled.
    var full: Measure

    /// Returns the level of memory pressure, or `nil` if it's below the thresholds.
    func level(_ thresholds: MemoryPressureThresholds) -> MemoryPressureLevel? {
        MemoryPressureLevel(
            isWarning: some.recent >= thresholds.warning,
            isCritical: full.recent >= thresholds.critical
        )
    }

    func measure(for level: MemoryPressureLevel) -> Measure {
        switch level {
        case .warning: some
        case .critical: full
        }
    }
}

extension MemoryStalls {
    /// Parses the text of a pressure file; returns `nil` if a required line or field is missing.
    ///
    /// Unknown lines and fields are skipped, since future kernels may add some.
    init?(_ text: String) {
        var measures: [Substring: Measure] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let fields = line.split(whereSeparator: \.isWhitespace)
            guard let name = fields.first, ["some", "full"].contains(name) else { continue }
            guard let measure = Measure(fields.dropFirst()) else { return nil }
            measures[name] = measure
        }
        guard let some = measures["some"], let full = measures["full"] else { return nil }
        self.init(some: some, full: full)
    }
}

extension MemoryStalls.Measure {
    /// Parses the fields of a line, each a name, an equals sign and a number.
    init?(_ fields: some Sequence<Substring>) {
        var recent: Double?
        var total: UInt64?
        for field in fields {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            switch parts[0] {
            case "avg10": recent = Double(parts[1])
            case "total": total = UInt64(parts[1])
            default: break
            }
        }
        guard let recent, recent.isFinite, recent >= 0, let total else { return nil }
        self.init(recent: recent, total: total)
    }
}
#endif
