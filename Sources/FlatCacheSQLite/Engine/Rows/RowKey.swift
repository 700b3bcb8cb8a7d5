#if canImport(SQLite3) || canImport(CSQLite)
/// The key of an element of an unkeyed container, or of the encoding of a superclass.
enum RowKey: CodingKey {
    case index(Int)
    case superclass

    init?(stringValue: String) { return nil }

    init?(intValue: Int) { self = .index(intValue) }

    var stringValue: String {
        switch self {
        case .index(let index): "Index \(index)"
        case .superclass: "super"
        }
    }

    var intValue: Int? {
        switch self {
        case .index(let index): index
        case .superclass: nil
        }
    }
}
#endif
