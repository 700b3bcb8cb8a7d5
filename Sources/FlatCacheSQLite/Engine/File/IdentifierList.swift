#if canImport(SQLite3) || canImport(CSQLite)
/// The encoding of the identifiers in a transaction's record.
///
/// The first byte is the kind of the identifiers. Numbers follow as runs of consecutive ones: the
/// difference from the number before, and the count of numbers after the first one, with seven bits
/// in a byte. Texts and bytes follow their length.
enum IdentifierList {
    private enum Kind: UInt8 {
        case numbers
        case texts
        case bytes
    }

    /// The maximum number of identifiers in a list, as a bound of the count in damaged bytes.
    static let maximumCount = 1 << 24

    static func encode(_ identifiers: [RowIdentifier]) -> [UInt8] {
        guard let first = identifiers.first else { return [] }
        let kind: Kind =
            switch first {
            case .number: .numbers
            case .text: .texts
            case .bytes: .bytes
            }
        var bytes = [kind.rawValue]
        var last: Int64 = 0
        var following: UInt64?
        for identifier in identifiers {
            switch identifier {
            case .number(let number):
                let difference = number &- last
                last = number
                if let count = following {
                    if difference == 1 {
                        following = count + 1
                        continue
                    }
                    CompactNumber.append(count, to: &bytes)
                }
                CompactNumber.append(signed: difference, to: &bytes)
                following = 0
            case .text(let text):
                CompactNumber.append(UInt64(text.utf8.count), to: &bytes)
                bytes.append(contentsOf: text.utf8)
            case .bytes(let part):
                CompactNumber.append(UInt64(part.count), to: &bytes)
                bytes.append(contentsOf: part)
            }
        }
        if let following { CompactNumber.append(following, to: &bytes) }
        return bytes
    }

    /// Returns the identifiers, or `nil` if the bytes are damaged.
    static func decode(_ bytes: UnsafeRawBufferPointer) -> [RowIdentifier]? {
        guard let first = bytes.first else { return [] }
        guard let kind = Kind(rawValue: first) else { return nil }
        var identifiers: [RowIdentifier] = []
        var rest = bytes.dropFirst()
        var last: Int64 = 0
        while !rest.isEmpty {
            if kind == .numbers {
                guard let difference = CompactNumber.readSigned(&rest) else { return nil }
                last &+= difference
                identifiers.append(.number(last))
                guard let following = CompactNumber.read(&rest),
                    following < maximumCount - identifiers.count
                else { return nil }
                for _ in 0..<following {
                    last &+= 1
                    identifiers.append(.number(last))
                }
                continue
            }
            guard let length = CompactNumber.read(&rest), length <= UInt64(rest.count) else {
                return nil
            }
            let part = rest.prefix(Int(length))
            rest = rest.dropFirst(Int(length))
            identifiers.append(
                kind == .texts
                    ? .text(String(decoding: part, as: UTF8.self)) : .bytes(Array(part))
            )
        }
        return identifiers
    }
}

/// The encoding of numbers in the lists of a transaction's record, with seven bits in a byte.
enum CompactNumber {
    static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Appends a number with its sign in the lowest bit, so that small numbers take few bytes.
    static func append(signed number: Int64, to bytes: inout [UInt8]) {
        append(UInt64(bitPattern: (number << 1) ^ (number >> 63)), to: &bytes)
    }

    /// Reads the first number, or returns `nil` if the bytes are damaged.
    static func read(_ rest: inout Slice<UnsafeRawBufferPointer>) -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        return nil
    }

    static func readSigned(_ rest: inout Slice<UnsafeRawBufferPointer>) -> Int64? {
        read(&rest).map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
    }
}
#endif
