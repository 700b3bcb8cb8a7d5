import Foundation

/// A writer for property lists in XML, in the form that Foundation writes.
///
/// Foundation's writer copies each Swift value first. For a domain of 5,000 values, that takes
/// several times as long as a save by Foundation. It also writes only one of several canonically
/// equivalent keys.
struct XMLPropertyListWriter {
    private var bytes: [UInt8] = []

    static func write(_ value: PropertyListValue) throws -> Data {
        try file { writer in try writer.append(value, depth: 0) }
    }

    /// Returns a property list of a dictionary, with the value of each key even if others are
    /// canonically equivalent.
    static func write(entries: [ExactString: PropertyListValue]) throws -> Data {
        try file { writer in
            try writer.append(entries.map { (key: $0.key.key, value: $0.value) }, depth: 0)
        }
    }

    private static func file(_ body: (inout Self) throws -> Void) rethrows -> Data {
        var writer = Self()
        writer.append(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
            "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">\n
            """
        )
        try body(&writer)
        writer.append("</plist>\n")
        return Data(writer.bytes)
    }

    private mutating func append(_ value: PropertyListValue, depth: Int) throws {
        switch value {
        case .bool(let flag): append(flag ? "<true/>" : "<false/>", depth)
        case .integer(let number): append("<integer>\(number)</integer>", depth)
        case .unsignedInteger(let number): append("<integer>\(number)</integer>", depth)
        case .double(let number): append("<real>\(Self.text(number))</real>", depth)
        case .string(let text):
            indent(depth)
            append("<string>")
            appendEscaped(text)
            append("</string>\n")
        case .data(let data): append("<data>\(data.base64EncodedString())</data>", depth)
        case .date(let date): append("<date>\(try Self.text(date))</date>", depth)
        case .array(let values) where values.isEmpty: append("<array/>", depth)
        case .array(let values):
            append("<array>", depth)
            for value in values { try append(value, depth: depth + 1) }
            append("</array>", depth)
        case .dictionary(let values): try append(values.map { $0 }, depth: depth)
        }
    }

    private mutating func append(
        _ entries: [(key: String, value: PropertyListValue)],
        depth: Int
    ) throws {
        if entries.isEmpty { return append("<dict/>", depth) }
        append("<dict>", depth)
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
            indent(depth + 1)
            append("<key>")
            appendEscaped(key)
            append("</key>\n")
            try append(value, depth: depth + 1)
        }
        append("</dict>", depth)
    }

    private static func text(_ number: Double) -> String {
        number.isInfinite ? (number < 0 ? "-infinity" : "+infinity") : "\(number)"
    }

    private static func text(_ date: Date) throws -> String {
        var parts = tm()
        let seconds = date.timeIntervalSince1970.rounded(.down)
        guard var time = time_t(exactly: seconds), gmtime_r(&time, &parts) != nil else {
            throw PropertyListError(.unsupported("the date of \(seconds) seconds after 1970"))
        }
        return String(
            format: "%04ld-%02d-%02dT%02d:%02d:%02dZ",
            Int(parts.tm_year) + 1900,
            parts.tm_mon + 1,
            parts.tm_mday,
            parts.tm_hour,
            parts.tm_min,
            parts.tm_sec
        )
    }

    // MARK: Bytes

    /// Appends a line.
    private mutating func append(_ line: String, _ depth: Int) {
        indent(depth)
        append(line)
        append("\n")
    }

    private mutating func indent(_ depth: Int) {
        for _ in 0..<depth { bytes.append(UInt8(ascii: "\t")) }
    }

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func appendEscaped(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): append("&amp;")
            case UInt8(ascii: "<"): append("&lt;")
            case UInt8(ascii: ">"): append("&gt;")
            default: bytes.append(byte)
            }
        }
    }
}

/// The reading of an XML property list with canonically equivalent keys, of which Foundation's
/// reader returns one.
extension PropertyListValue {
    /// Reads the entries of a property list in XML that is a dictionary.
    ///
    /// The bytes of each key that aren't ASCII are written as percent escapes before Foundation
    /// reads the list, so that no two keys are equivalent. The form must be one that
    /// ``XMLPropertyListWriter`` or Foundation writes; the keys of any other form are read as they
    /// are.
    static func readXMLEntries(_ data: Data) throws -> [ExactString: PropertyListValue] {
        let marked = data.allSatisfy { $0 < 0x80 } ? nil : data.withEscapedKeys
        let value = try PropertyListValue(propertyListData: marked ?? data)
        guard case .dictionary(let values) = value else {
            throw value.mismatch(expected: "a dictionary")
        }
        var entries: [ExactString: PropertyListValue] = [:]
        entries.reserveCapacity(values.count)
        for (key, value) in values {
            let original = marked == nil ? (key, value) : (try key.unescaped, try value.unescaped)
            entries[ExactString(original.0)] = original.1
        }
        return entries
    }

    /// The value with the original keys of its dictionaries.
    private var unescaped: PropertyListValue {
        get throws {
            switch self {
            case .array(let values): return .array(try values.map { try $0.unescaped })
            case .dictionary(let values):
                var originals: [String: PropertyListValue] = [:]
                for (key, value) in values { originals[try key.unescaped] = try value.unescaped }
                return .dictionary(originals)
            default: return self
            }
        }
    }
}

extension String {
    fileprivate var unescaped: String {
        get throws {
            guard let original = removingPercentEncoding else {
                throw PropertyListError(.notUnderstood("a key isn't text"))
            }
            return original
        }
    }
}

extension Data {
    /// The XML with percent escapes in its keys, or `nil` if it may have keys in another form.
    fileprivate var withEscapedKeys: Data? {
        // In another encoding, other bytes delimit the keys.
        guard starts(with: Data(#"<?xml version="1.0" encoding="UTF-8"?>"#.utf8)) else {
            return nil
        }
        let others = ["<!--", "<![CDATA[", "&#"]
        if others.contains(where: { range(of: Data($0.utf8)) != nil }) { return nil }
        var escaped = Data()
        var rest = startIndex..<endIndex
        while let start = range(of: Data("<key>".utf8), in: rest) {
            escaped.append(self[rest.lowerBound..<start.upperBound])
            rest = start.upperBound..<endIndex
            guard let end = range(of: Data("</key>".utf8), in: rest) else { return nil }
            for byte in self[rest.lowerBound..<end.lowerBound] {
                if byte < 0x80, byte != UInt8(ascii: "%") {
                    escaped.append(byte)
                } else {
                    escaped.append(contentsOf: String(format: "%%%02X", byte).utf8)
                }
            }
            rest = end.lowerBound..<endIndex
        }
        escaped.append(self[rest])
        return escaped
    }
}
