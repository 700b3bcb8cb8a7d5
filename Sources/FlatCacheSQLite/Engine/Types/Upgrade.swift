#if canImport(SQLite3) || canImport(CSQLite)
/// A step that upgrades the values of one version of a type to the next one.
struct Upgrade: Sendable {
    let version: Int
    let oldType: Any.Type
    let newType: Any.Type
    /// A closure that decodes a value of the version.
    let decode: @Sendable (any RowCoder, UnsafeRawBufferPointer) throws -> Any
    /// A closure that upgrades a value of the version.
    let apply: @Sendable (Any) throws -> Any

    init<Old: Decodable & Sendable, New>(
        from version: Int,
        _ body: @escaping @Sendable (Old) throws -> New
    ) {
        self.version = version
        oldType = Old.self
        newType = New.self
        decode = { coder, bytes in try coder.decode(Old.self, from: bytes) }
        apply = { old in
            guard let old = old as? Old else { throw OtherType() }
            return try body(old)
        }
    }

    /// The error of a step that receives a value of another type.
    ///
    /// The types are compared when the graph is created, so it doesn't occur.
    struct OtherType: Error {}
}
#endif
