#if canImport(SQLite3) || canImport(CSQLite)
public import Foundation

/// A row coder that seals the encoding of another coder, for example by encrypting it.
///
/// ```swift
/// import FlatCacheSQLite
/// import Foundation
///
/// let graph = try SQLiteGraph(
///     URL(fileURLWithPath: "shop.sqlite"),
///     // In place of CryptoKit's `AES.GCM.seal` and `AES.GCM.open`.
///     coder: SealedRowCoder(seal: { Data($0.reversed()) }, open: { Data($0.reversed()) })
/// ) {
///     Durable(Book.self, "book")
/// }
/// ```
///
/// Only the values are sealed. The names of the types, identifiers, dates and modification stamps
/// in the file remain readable, since the graph searches for them and compares them.
///
/// A row that can't be opened moves to the quarantine, sealed as it is, and the graph reports it.
/// With a wrong key, all rows that the graph reads move to the quarantine. With the right one,
/// ``SQLiteGraph/restoreQuarantinedRows()`` moves them back. If the key isn't available yet, open
/// the graph later.
public struct SealedRowCoder<Base: RowCoder>: RowCoder, ConcealingRowCoder {
    private let base: Base
    let seal: @Sendable (Data) throws -> Data
    let open: @Sendable (Data) throws -> Data

    /// Creates a coder that seals the encoding of another coder.
    ///
    /// ## Concurrency
    /// A graph calls the closures on its own thread, under no lock.
    ///
    /// - Parameters:
    ///   - base: The coder of the values.
    ///   - seal: A closure that returns the bytes to write for an encoded value. If it throws, the
    ///     graph reports the error as ``SQLiteGraphError/Kind/unencodable``, and the row remains
    ///     unchanged.
    ///   - open: A closure that returns the encoded value of sealed bytes. It throws if the bytes
    ///     aren't authentic. The bytes of a damaged file can be arbitrary. To replace the key, open
    ///     the bytes of both keys, and call ``SQLiteGraph/resealRows()``.
    public init(
        _ base: Base = CompactRowCoder(),
        seal: @escaping @Sendable (Data) throws -> Data,
        open: @escaping @Sendable (Data) throws -> Data
    ) {
        self.base = base
        self.seal = seal
        self.open = open
    }

    /// Returns the sealed encoding of a value.
    ///
    /// - Parameter value: The value to encode.
    /// - Throws: An error of the other coder, or of the closure that seals.
    public func encode(_ value: some Encodable) throws -> [UInt8] {
        Array(try seal(Data(try base.encode(value))))
    }

    /// Returns the value that sealed bytes contain.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - bytes: The sealed encoding of the value.
    /// - Throws: An error of the closure that opens, or of the other coder.
    public func decode<Value: Decodable>(
        _ type: Value.Type,
        from bytes: UnsafeRawBufferPointer
    ) throws -> Value {
        try open(Data(bytes)).withUnsafeBytes { try base.decode(type, from: $0) }
    }
}

/// A row coder whose values must not be readable in the file.
///
/// The description of a decoding error can contain a part of the value, so the quarantine contains
/// only the type of the error.
protocol ConcealingRowCoder: RowCoder {
    var seal: @Sendable (Data) throws -> Data { get }
    var open: @Sendable (Data) throws -> Data { get }
}
#endif
