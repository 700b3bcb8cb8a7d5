#if canImport(CPostgres)
/// An array of texts as the server writes it: `{a,"b, c"}`.
enum ArrayLiteral {
    static func elements(of literal: String) -> [String] {
        var elements: [String] = []
        var element: [UInt8] = []
        var isQuoted = false
        var hasElement = false
        var bytes = literal.utf8.dropFirst().makeIterator()
        while let byte = bytes.next() {
            switch byte {
            case UInt8(ascii: "\\"):
                if let next = bytes.next() { element.append(next) }
                hasElement = true
            case UInt8(ascii: "\""):
                isQuoted.toggle()
                hasElement = true
            case UInt8(ascii: ",") where !isQuoted, UInt8(ascii: "}") where !isQuoted:
                if hasElement { elements.append(String(decoding: element, as: UTF8.self)) }
                element = []
                hasElement = false
            default:
                element.append(byte)
                hasElement = true
            }
        }
        return elements
    }
}
#endif
