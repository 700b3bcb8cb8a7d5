#if !canImport(Darwin)
import Foundation

/// A scanner of the tags of an XML property list in Foundation's form.
struct XMLTagScanner {
    /// A tag, from `<` to `>`.
    struct Tag {
        enum Kind {
            case start
            case end
            case empty
        }

        let kind: Kind
        let range: Range<Int>
        /// `true` if only white space separates this tag from the tag before it.
        let isAfterSpace: Bool
    }

    private let bytes: UnsafeRawBufferPointer
    /// The position of the first byte after the last tag.
    private(set) var position: Int

    init(_ bytes: UnsafeRawBufferPointer, from position: Int) {
        self.bytes = bytes
        self.position = position
    }

    /// Returns the next tag, or `nil` at the end and at any markup other than a plain tag.
    mutating func next() -> Tag? {
        guard let open = find(UInt8(ascii: "<"), from: position),
            let close = find(UInt8(ascii: ">"), from: open), close > open + 1
        else { return nil }
        let isAfterSpace = bytes[position..<open].allSatisfy { $0 <= UInt8(ascii: " ") }
        position = close + 1
        let kind: Tag.Kind
        let name: Range<Int>
        switch (bytes[open + 1], bytes[close - 1]) {
        case (UInt8(ascii: "/"), _): (kind, name) = (.end, open + 2..<close)
        case (_, UInt8(ascii: "/")): (kind, name) = (.empty, open + 1..<close - 1)
        default: (kind, name) = (.start, open + 1..<close)
        }
        // Foundation doesn't write other markup or attributes.
        guard bytes[name].allSatisfy({ UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }) else {
            return nil
        }
        return Tag(kind: kind, range: open..<close + 1, isAfterSpace: isAfterSpace)
    }

    /// Returns `true` if a text has only the escapes that Foundation writes, for each character
    /// that Foundation escapes.
    func isEscapedAsByFoundation(_ range: Range<Int>) -> Bool {
        range.allSatisfy { position in
            switch bytes[position] {
            case UInt8(ascii: ">"): return false
            case UInt8(ascii: "&"):
                let rest = bytes[position..<range.upperBound]
                return ["&amp;", "&lt;", "&gt;"].contains { rest.starts(with: $0.utf8) }
            default: return true
            }
        }
    }

    func name(of tag: Tag, is name: StaticString) -> Bool {
        let start = tag.range.lowerBound + (tag.kind == .end ? 2 : 1)
        let end = tag.range.upperBound - (tag.kind == .empty ? 2 : 1)
        return name.withUTF8Buffer { bytes[start..<end].elementsEqual($0) }
    }

    /// Skips the prolog and `<dict>`; returns `false` if the list isn't a dictionary.
    mutating func skipToDictionary() -> Bool {
        while let open = find(UInt8(ascii: "<"), from: position), open + 1 < bytes.count,
            let close = find(UInt8(ascii: ">"), from: open)
        {
            let mark = bytes[open..<close + 1]
            if mark.elementsEqual("<dict>".utf8) {
                position = close + 1
                return true
            }
            let isProlog = mark.starts(with: "<!DOCTYPE plist PUBLIC ".utf8)
            guard isProlog || mark.starts(with: "<plist".utf8), !mark.contains(UInt8(ascii: "["))
            else { return false }
            position = close + 1
        }
        return false
    }

    /// Skips a value and its contents; returns `false` if Foundation doesn't write such a value.
    mutating func skipValue() -> Bool {
        guard let first = next(), first.isAfterSpace, first.kind != .end else { return false }
        var depth = first.kind == .start ? 1 : 0
        while depth > 0 {
            guard let tag = next() else { return false }
            switch tag.kind {
            case .start: depth += 1
            case .end: depth -= 1
            case .empty: break
            }
        }
        return true
    }

    private func find(_ byte: UInt8, from start: Int) -> Int? {
        guard start < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + start, Int32(byte), bytes.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }
}
#endif
