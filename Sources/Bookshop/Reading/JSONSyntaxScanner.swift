/// A validator of the grammar of JSON (RFC 8259), which creates no values.
///
/// The scanner keeps open containers on a stack of its own, so that a file of nested brackets can't
/// exhaust the thread's stack.
struct JSONSyntaxScanner {
    /// The position of an error, as an offset in bytes, and a description of it.
    struct Failure: Error {
        let offset: Int
        let message: String
    }

    private enum Container {
        case object, array

        var close: UInt8 { self == .object ? UInt8(ascii: "}") : UInt8(ascii: "]") }
        var next: Expectation { self == .object ? .name : .value }
    }

    private enum Expectation: String {
        case value = "a value"
        case valueOrClose = "a value or ']'"
        case name = "a name in quotation marks"
        case nameOrClose = "a name in quotation marks or '}'"
        case colon = "':'"
        case commaOrClose = "',' or the end of the list or object"
        case end = "the end of the file"
    }

    private let bytes: [UInt8]
    private var offset: Int
    private var expected = Expectation.value
    private var containers: [Container] = []

    init(bytes: [UInt8]) {
        self.bytes = bytes
        offset = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// Scans the text to its end.
    mutating func scan() throws(Failure) {
        while true {
            skipWhitespace()
            guard let byte = current else {
                guard expected == .end else { throw unexpected() }
                return
            }
            switch expected {
            case .value, .valueOrClose: try scanValue(byte)
            case .name, .nameOrClose: try scanName(byte)
            case .colon:
                guard byte == UInt8(ascii: ":") else { throw unexpected() }
                offset += 1
                expected = .value
            case .commaOrClose: try scanCommaOrClose(byte)
            case .end: throw unexpected()
            }
        }
    }

    private var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func skipWhitespace() {
        while let byte = current, " \n\r\t".utf8.contains(byte) {
            offset += 1
        }
    }

    private mutating func scanValue(_ byte: UInt8) throws(Failure) {
        switch byte {
        case UInt8(ascii: "{"): open(.object, expecting: .nameOrClose)
        case UInt8(ascii: "["): open(.array, expecting: .valueOrClose)
        case UInt8(ascii: "]") where expected == .valueOrClose: close()
        case UInt8(ascii: "\""):
            try scanString()
            endValue()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            try scanNumber()
            endValue()
        default:
            guard let literal = ["true", "false", "null"].first(where: isNext) else {
                throw unexpected()
            }
            offset += literal.utf8.count
            endValue()
        }
    }

    private mutating func scanName(_ byte: UInt8) throws(Failure) {
        if byte == UInt8(ascii: "}"), expected == .nameOrClose {
            close()
            return
        }
        guard byte == UInt8(ascii: "\"") else { throw unexpected() }
        try scanString()
        expected = .colon
    }

    private mutating func scanCommaOrClose(_ byte: UInt8) throws(Failure) {
        guard let container = containers.last else { throw unexpected() }
        switch byte {
        case UInt8(ascii: ","):
            offset += 1
            expected = container.next
        case container.close: close()
        default: throw unexpected()
        }
    }

    private mutating func open(_ container: Container, expecting expectation: Expectation) {
        containers.append(container)
        offset += 1
        expected = expectation
    }

    private mutating func close() {
        containers.removeLast()
        offset += 1
        endValue()
    }

    private mutating func endValue() {
        expected = containers.isEmpty ? .end : .commaOrClose
    }

    private mutating func scanString() throws(Failure) {
        offset += 1
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                return
            case UInt8(ascii: "\\"): try scanEscape()
            case 0..<0x20: throw failure("a control character has to be escaped in a string")
            case 0x20..<0x80: offset += 1
            default: try scanScalar()
            }
        }
        throw failure("the file ends inside a string")
    }

    private mutating func scanEscape() throws(Failure) {
        guard bytes.indices.contains(offset + 1) else { throw failure("an escape is incomplete") }
        switch bytes[offset + 1] {
        case UInt8(ascii: "u"):
            let digits = bytes[(offset + 2)...].prefix(4)
            guard digits.count == 4, digits.allSatisfy(\.isHexadecimalDigit) else {
                throw failure("'\\u' has to be followed by four hexadecimal digits")
            }
            offset += 6
        case let byte where "\"\\/bfnrt".utf8.contains(byte): offset += 2
        default: throw failure("this escape is unknown")
        }
    }

    private mutating func scanScalar() throws(Failure) {
        var decoder = UTF8()
        var following = bytes[offset...].prefix(4).makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&following) else {
            throw failure("these bytes are not UTF-8")
        }
        offset += String(scalar).utf8.count
    }

    private mutating func scanNumber() throws(Failure) {
        skip("-")
        if !skip("0") {
            try scanDigits()
        }
        if skip(".") {
            try scanDigits()
        }
        if skip("eE") {
            skip("+-")
            try scanDigits()
        }
    }

    private mutating func scanDigits() throws(Failure) {
        guard let byte = current, byte.isDigit else { throw failure("expected a digit") }
        while let byte = current, byte.isDigit {
            offset += 1
        }
    }

    /// Skips the current byte if it is one of the given bytes, and returns whether it was.
    @discardableResult
    private mutating func skip(_ any: String) -> Bool {
        guard let byte = current, any.utf8.contains(byte) else { return false }
        offset += 1
        return true
    }

    private func isNext(_ literal: String) -> Bool {
        bytes[offset...].starts(with: literal.utf8)
    }

    private func unexpected() -> Failure {
        guard let byte = current else {
            return failure("the file ends where \(expected.rawValue) is expected")
        }
        let isPrintable = (0x21...0x7E).contains(byte)
        let found = isPrintable ? ", not '\(Character(UnicodeScalar(byte)))'" : ""
        return failure("expected \(expected.rawValue)\(found)")
    }

    private func failure(_ message: String) -> Failure {
        Failure(offset: offset, message: message)
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    fileprivate var isHexadecimalDigit: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20)
    }
}
