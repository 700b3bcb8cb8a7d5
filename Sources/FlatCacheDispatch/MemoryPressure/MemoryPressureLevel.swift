import FlatCache

enum MemoryPressureLevel: Int, Comparable, Sendable {
    case warning
    case critical

    /// Creates the higher level that applies, or `nil` if none does.
    init?(isWarning: Bool, isCritical: Bool) {
        if isCritical {
            self = .critical
        } else if isWarning {
            self = .warning
        } else {
            return nil
        }
    }

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
