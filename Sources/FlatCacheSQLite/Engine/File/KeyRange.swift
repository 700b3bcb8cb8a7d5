#if canImport(SQLite3) || canImport(CSQLite)
/// A range of a table's keys, without its upper bound.
///
/// The bounds are numbers or bytes. SQLite compares keys of text as bytes.
struct KeyRange {
    /// The first key, or `nil` if the range has no lower bound.
    var lower: RowIdentifier?
    /// The key after the last one, or `nil` if the range has no upper bound.
    var upper: RowIdentifier?

    func contains(_ key: RowIdentifier) -> Bool {
        lower.map { !(key < $0) } ?? true && upper.map { key < $0 } ?? true
    }

    /// Returns the least key that follows another one, or `nil` if there is none.
    static func successor(of key: RowIdentifier) -> RowIdentifier? {
        switch key {
        case .number(let number): number < .max ? .number(number + 1) : nil
        case .text(let text): .bytes(Array(text.utf8) + [0])
        case .bytes(let bytes): .bytes(bytes + [0])
        }
    }

    /// Keys inside the range with increasing distances from its ends, to look for readable rows
    /// between unreadable ends.
    var probes: [RowIdentifier] {
        let (first, last, key) = positions
        guard first < last else { return [] }
        let length = last - first
        // Without a bound, numbers near zero are the most frequent ones.
        let zero: UInt64 = 1 << 63
        // A readable page between unreadable ones covers a good part of a range of numbers. Keys of
        // bytes are also found in the file.
        let growth: UInt64 = hasNumbers ? 64 : 4
        var probes: [RowIdentifier] = []
        var distance: UInt64 = 1
        while distance < length {
            probes += [key(first + distance), key(last - distance)]
            for position in [zero &- distance, zero &+ distance]
            where hasNumbers && position > first && position < last {
                probes.append(key(position))
            }
            let (next, isOverflow) = distance.addingReportingOverflow(distance / growth + 1)
            distance = isOverflow ? .max : next
        }
        return probes
    }

    /// Returns all keys inside the range, or none if there are more than a number.
    func keys(atMost count: Int) -> [RowIdentifier] {
        let (first, last, key) = positions
        guard first < last, last - first <= UInt64(count) else { return [] }
        return (first + 1..<last).map(key)
    }

    private var hasNumbers: Bool { lower?.bytes == nil && upper?.bytes == nil }

    /// The positions of the bounds among all keys of their kind, and a closure that returns the key
    /// of a position.
    private var positions: (UInt64, UInt64, (UInt64) -> RowIdentifier) {
        if hasNumbers {
            let sign: UInt64 = 1 << 63
            return (
                UInt64(bitPattern: lower?.number ?? .min) ^ sign,
                UInt64(bitPattern: upper?.number ?? .max) ^ sign,
                { .number(Int64(bitPattern: $0 ^ sign)) }
            )
        }
        // The position consists of eight bytes after the common beginning of the bounds.
        let low = lower?.bytes ?? []
        let high = upper?.bytes ?? Array(repeating: 0xFF, count: 8)
        let common = Array(zip(low, high).prefix { $0 == $1 }.map(\.0))
        let position: ([UInt8]) -> UInt64 = { bytes in
            (0..<8).reduce(0) { position, index in
                let place = common.count + index
                return position << 8 | UInt64(place < bytes.count ? bytes[place] : 0)
            }
        }
        return (
            position(low), position(high),
            { position in
                .bytes(
                    common + (0..<8).map { UInt8(truncatingIfNeeded: position >> (56 - 8 * $0)) }
                )
            }
        )
    }
}

extension [KeyRange] {
    /// Returns ranges without common keys in the order of their keys.
    func sorted() -> [KeyRange] {
        sorted { left, right in
            right.lower.map { bound in left.lower.map { $0 < bound } ?? true } ?? false
        }
    }

    /// The possible first bytes of the keys, if the ranges are sorted.
    var firstBytes: ClosedRange<UInt8> {
        let least = first?.lower?.bytes?.first ?? 0
        return least...Swift.max(least, last?.upper?.bytes?.first ?? .max)
    }

    /// Returns the index of the range that contains a key, if the ranges are sorted.
    func index(of key: RowIdentifier) -> Int? {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle].lower.map({ key < $0 }) ?? false {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low > 0 && self[low - 1].contains(key) ? low - 1 : nil
    }
}

extension KeyRange: CustomStringConvertible {
    var description: String {
        let bounds = [lower, upper].map { bound in
            switch bound {
            case .number(let number): "\(number)"
            case .text(let text): String(reflecting: text)
            case .bytes(let bytes): String(reflecting: String(decoding: bytes, as: UTF8.self))
            case nil: ""
            }
        }
        return bounds.joined(separator: "..<")
    }
}

extension RowIdentifier {
    fileprivate var number: Int64? {
        guard case .number(let number) = self else { return nil }
        return number
    }

    fileprivate var bytes: [UInt8]? {
        guard case .bytes(let bytes) = self else { return nil }
        return bytes
    }
}
#endif
