import Foundation

/// Numbers as text for people.
enum Format {
    /// Returns a number with three significant digits, such as `1.23`, `12.3`, `123` or `0.00123`.
    static func number(_ value: Double) -> String {
        let size = abs(value)
        if size > 0, size < 0.0001 { return String(format: "%.1e", value) }
        let decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.0995 || size == 0 ? 2 : 4
        return String(format: "%.\(decimals)f", value)
    }

    /// Returns a measurement with its unit; times are in the unit that fits.
    static func measurement(_ value: Double, _ unit: Row.Unit) -> String {
        guard unit == .nanoseconds else { return "\(number(value)) \(unit.rawValue)" }
        let units = [("s", 1e9), ("ms", 1e6), ("µs", 1e3)]
        guard let (name, size) = units.first(where: { value >= $0.1 * 0.9995 }) else {
            return "\(number(value)) ns"
        }
        return "\(number(value / size)) \(name)"
    }
}
