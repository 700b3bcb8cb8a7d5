#if canImport(SQLite3) || canImport(CSQLite)
public import FlatCache
import Foundation

extension SQLiteGraph: CustomStringConvertible, DescribedByOneLine {
    /// The path of the file, such as `SQLiteGraph of /tmp/shop.sqlite`.
    public var description: String { "SQLiteGraph of \(url.path)" }
}

extension Durable: DescribedByOneLine {}
extension DurableAliases: DescribedByOneLine {}
extension DurableList: DescribedByOneLine {}
extension DurableLists: DescribedByOneLine {}
#endif
