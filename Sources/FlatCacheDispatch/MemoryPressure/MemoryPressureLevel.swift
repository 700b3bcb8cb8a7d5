import FlatCache

/// How short memory is.
enum MemoryPressureLevel: Int, Comparable, Sendable {
    case warning
    case critical

    /// Takes the worse of what is the case, or nothing if neither is.
    init?(isWarning: Bool, isCritical: Bool) {
        if isCritical {
            self = .critical
        } else if isWarning {
            self = .warning
        } else {
            return nil
        }
    }

    /// How much of a cache is left when it has been trimmed at this level.
    func target(warning: TrimTarget, critical: TrimTarget) -> TrimTarget {
        switch self {
        case .warning: warning
        case .critical: critical
        }
    }

    static func < (left: MemoryPressureLevel, right: MemoryPressureLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}
