#if os(Linux)
/// How long tasks have stood still for lack of memory, as the kernel tells it.
struct MemoryStalls: Equatable, Sendable {
    /// One line of the file.
    struct Measure: Equatable, Sendable {
        /// The part of the last ten seconds, in percent.
        var recent: Double
        /// The time since the machine was started, in microseconds.
        var total: UInt64
    }

    /// The time in which at least one task stood still.
    var some: Measure
    /// The time in which all tasks did that had work.
    var full: Measure

    /// How short memory is, if it is.
    func level(_ thresholds: MemoryPressureThresholds) -> MemoryPressureLevel? {
        MemoryPressureLevel(
            isWarning: some.recent >= thresholds.warning,
            isCritical: full.recent >= thresholds.critical
        )
    }

    /// The measure that a level is derived from.
    func measure(for level: MemoryPressureLevel) -> Measure {
        switch level {
        case .warning: some
        case .critical: full
        }
    }
}

extension MemoryStalls {
    /// Reads the text of a pressure file; `nil` if it lacks something that is needed.
    ///
    /// Lines and fields that are not known are skipped: kernels to come may add some.
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
    /// Reads the fields of a line, each a name, an equals sign and a number.
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
