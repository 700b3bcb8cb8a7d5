extension QuerySortKey {
    /// The greatest number, which missing values share with the last number.
    @inlinable static var last: UInt64 { .max }

    /// Creates the key of a value that may be missing.
    @inlinable
    init<Value: Comparable & Sendable>(_ value: Value?, isDescending: Bool = false) {
        guard let value else {
            self.init(prefix: Self.last, .missing)
            return
        }
        if let number = Self.number(of: value) {
            // The value is NaN.
            guard let number else {
                self.init(prefix: Self.last, .notANumber)
                return
            }
            self.init(prefix: isDescending ? ~number : number)
        } else if Value.self == String.self, let text = value as? String {
            self.init(prefix: 0, .text(text, isDescending: isDescending))
        } else if value != value {
            // The value has no place in the order of its type, like NaN.
            self.init(prefix: Self.last, .notANumber)
        } else {
            self.init(prefix: 0, .other(OtherSortKey(value, isDescending: isDescending)))
        }
    }

    /// Creates the key of an index.
    ///
    /// Keys of a comparable type are in that type's order. Others are in the order of their hash
    /// values, so that different keys may have the same place.
    init<Key: Hashable & Sendable>(indexing key: Key) {
        if let number = Self.number(of: key) {
            self.init(prefix: number ?? Self.last, number == nil ? .notANumber : nil)
        } else if let text = key as? String {
            self.init(prefix: 0, .text(text, isDescending: false))
        } else if key != key {
            self.init(prefix: Self.last, .notANumber)
        } else if ConformanceProbe<Key>.findsComparable, let key = key as? any Comparable {
            self.init(indexingComparable: key)
        } else {
            self.init(prefix: UInt64(bitPattern: Int64(key.hashValue)))
        }
    }

    /// Creates the key of a group, by which the rows of one group are adjacent.
    @inlinable
    init<Key: Hashable & Sendable>(grouping key: Key?) {
        guard let key else {
            self.init(prefix: Self.last, .missing)
            return
        }
        if let number = Self.number(of: key), let number {
            self.init(prefix: number)
        } else {
            self.init(groupingOther: key)
        }
    }

    @usableFromInline
    init<Key: Hashable & Sendable>(groupingOther key: Key) {
        let indexing = QuerySortKey(indexing: key)
        let isHashed = indexing.rest == nil && Self.number(of: key) == nil
        // Different keys may have equal hash values.
        self =
            isHashed ? QuerySortKey(prefix: indexing.prefix, .other(GroupSortKey(key))) : indexing
    }

    private init(indexingComparable key: some Comparable) {
        self.init(prefix: 0, .other(OtherSortKey(key, isDescending: false)))
    }

    /// Returns a number that is in the order of the values, or `nil` if the type isn't numeric.
    ///
    /// The inner value is `nil` for NaN.
    @inlinable
    static func number<Value>(of value: Value) -> UInt64?? {
        // Specialized code contains only one of these branches.
        if Value.self == Int.self, let value = value as? Int { return number(of: Int64(value)) }
        if Value.self == Double.self, let value = value as? Double { return number(of: value) }
        if Value.self == Float.self, let value = value as? Float {
            return number(of: Double(value))
        }
        if Value.self == UInt.self, let value = value as? UInt { return UInt64(value) }
        if Value.self == Int64.self, let value = value as? Int64 { return number(of: value) }
        if Value.self == UInt64.self, let value = value as? UInt64 { return value }
        if Value.self == Int32.self, let value = value as? Int32 {
            return number(of: Int64(value))
        }
        if Value.self == UInt32.self, let value = value as? UInt32 { return UInt64(value) }
        if Value.self == Int16.self, let value = value as? Int16 {
            return number(of: Int64(value))
        }
        if Value.self == UInt16.self, let value = value as? UInt16 { return UInt64(value) }
        if Value.self == Int8.self, let value = value as? Int8 { return number(of: Int64(value)) }
        if Value.self == UInt8.self, let value = value as? UInt8 { return UInt64(value) }
        return nil
    }

    @inlinable
    static func number(of value: Int64) -> UInt64 {
        UInt64(bitPattern: value) ^ (1 << 63)
    }

    /// Returns the bits of a number in the order of the numbers, in which zero has one sign.
    @inlinable
    static func number(of value: Double) -> UInt64?? {
        if value.isNaN { return .some(nil) }
        let bits = (value == 0 ? 0 : value).bitPattern
        return bits >> 63 == 0 ? bits ^ (1 << 63) : ~bits
    }
}
