#if !canImport(Darwin)
import Foundation

/// The positions of the top-level entries in the bytes of an XML property list, so that one entry
/// can be replaced without decoding and encoding all others.
///
/// It parses only the form that Foundation writes: UTF-8, without comments, sections or attributes
/// inside the dictionary. The bytes have been decoded before, so they are well-formed.
struct XMLEntries {
    /// The position of a key and its value.
    struct Entry {
        /// The range from the first byte of `<key>` to the last byte of the value's end tag.
        let range: Range<Int>
        /// The range of the key's escaped text.
        let name: Range<Int>
    }

    let entries: [Entry]
    /// The position of the first byte after `<dict>`.
    let start: Int
    /// The position of the first byte of `</dict>`.
    let end: Int

    private static let declaration = Data(#"<?xml version="1.0" encoding="UTF-8"?>"#.utf8)

    /// Finds the entries, or returns `nil` if the bytes have another form.
    ///
    /// - Complexity: O(*n*) in the number of bytes, most of which are only searched for a tag.
    init?(_ data: Data) {
        guard data.starts(with: Self.declaration) else { return nil }
        let found = data.withUnsafeBytes { bytes -> XMLEntries? in
            var scanner = XMLTagScanner(bytes, from: Self.declaration.count)
            return XMLEntries(&scanner)
        }
        guard let found else { return nil }
        self = found
    }

    private init?(_ scanner: inout XMLTagScanner) {
        guard scanner.skipToDictionary() else { return nil }
        start = scanner.position
        var entries: [Entry] = []
        while let tag = scanner.next() {
            guard tag.isAfterSpace else { return nil }
            if tag.kind == .end {
                guard scanner.name(of: tag, is: "dict") else { return nil }
                self.entries = entries
                end = tag.range.lowerBound
                return
            }
            guard tag.kind == .start, scanner.name(of: tag, is: "key"), let close = scanner.next(),
                close.kind == .end, scanner.skipValue()
            else { return nil }
            let name = tag.range.upperBound..<close.range.lowerBound
            // Keys are compared as bytes, so a key with other escapes would be taken for another
            // key.
            guard scanner.isEscapedAsByFoundation(name) else { return nil }
            let range = tag.range.lowerBound..<scanner.position
            entries.append(Entry(range: range, name: name))
        }
        return nil
    }

    /// Returns the value of a key that may have canonical equivalents.
    static func value(forKey key: String, in data: Data) throws -> PropertyListValue? {
        let escaped = key.escapedForXML
        return try XMLEntries(data)?.entries.first { data[$0.name].elementsEqual(escaped) }
            .flatMap { try read($0, in: data) }?.value
    }

    /// Reads an entry without the others.
    private static func read(
        _ entry: Entry,
        in data: Data
    ) throws -> (key: String, value: PropertyListValue)? {
        let head = declaration + Data("<plist version=\"1.0\"><dict>".utf8)
        let alone = head + data[entry.range] + Data("</dict></plist>".utf8)
        guard case .dictionary(let values) = try PropertyListValue(propertyListData: alone),
            let found = values.first
        else { return nil }
        return (found.key, found.value.withWholeSeconds)
    }

    /// Returns the values of the keys that have canonical equivalents.
    ///
    /// Of each group of equivalents, Foundation's reader returns one.
    func equivalents(in data: Data) throws -> [ExactString: PropertyListValue] {
        let forms = Dictionary(grouping: entries) { String(decoding: data[$0.name], as: UTF8.self) }
        var values: [ExactString: PropertyListValue] = [:]
        for entry in forms.values.filter({ $0.count > 1 }).joined() {
            if let found = try Self.read(entry, in: data) {
                values[ExactString(found.key)] = found.value
            }
        }
        return values
    }

    /// Returns the number of entries, where entries with equal keys count as one.
    private func number(in data: Data) -> Int {
        Set(entries.map { String(decoding: data[$0.name], as: UTF8.self) }).count
    }

    /// Returns bytes with the value of one key replaced, inserted, or removed if it is `nil`.
    ///
    /// - Parameters:
    ///   - value: The value, or `nil` to remove the entry.
    ///   - key: The key.
    ///   - data: The bytes of a property list.
    ///   - count: The number of values that the list is known to have. Canonically equivalent keys
    ///     may count as one.
    /// - Returns: The bytes, or `nil` if they have another form.
    /// - Throws: ``PropertyListError`` if a reader wouldn't get the value back.
    static func replace(
        _ value: PropertyListValue?,
        forKey key: String,
        in data: Data,
        count: Int
    ) throws -> Data? {
        guard let all = XMLEntries(data),
            all.entries.count == count || all.number(in: data) == count
        else { return nil }
        let escaped = key.escapedForXML
        let index = all.entries.firstIndex { data[$0.name].elementsEqual(escaped) }
        guard let value else {
            guard let index else { return data }
            // If at most one entry would remain, the encoder writes the file.
            guard all.entries.count > 2 || all.number(in: data) < all.entries.count else {
                return nil
            }
            let start = index == 0 ? all.start : all.entries[index - 1].range.upperBound
            return data.replacing(start..<all.entries[index].range.upperBound, with: Data())
        }
        let alone = try PropertyListValue.dictionary([key: value]).propertyListData(format: .xml)
        guard let own = XMLEntries(alone), let entry = own.entries.first, own.entries.count == 1,
            alone[entry.name].elementsEqual(escaped)
        else { return nil }
        let new = alone[entry.range]
        if let index { return data.replacing(all.entries[index].range, with: new) }
        // Foundation sorts the keys.
        let next = all.entries.first { escaped.lexicographicallyPrecedes(data[$0.name]) }
        if let position = next?.range.lowerBound {
            return data.replacing(position..<position, with: new + Data("\n\t".utf8))
        }
        return data.replacing(all.end..<all.end, with: Data("\t".utf8) + new + Data("\n".utf8))
    }
}

extension Data {
    fileprivate func replacing(_ range: Range<Int>, with new: Data) -> Data {
        var copy = Data(capacity: count - range.count + new.count)
        copy.append(self[..<range.lowerBound])
        copy.append(new)
        copy.append(self[range.upperBound...])
        return copy
    }
}

extension String {
    /// The UTF-8 bytes of the text, escaped as Foundation writes it between tags.
    fileprivate var escapedForXML: [UInt8] {
        var bytes: [UInt8] = []
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += "&amp;".utf8
            case UInt8(ascii: "<"): bytes += "&lt;".utf8
            case UInt8(ascii: ">"): bytes += "&gt;".utf8
            default: bytes.append(byte)
            }
        }
        return bytes
    }
}
#endif
