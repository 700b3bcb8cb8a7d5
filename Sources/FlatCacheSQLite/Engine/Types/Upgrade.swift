#if canImport(SQLite3) || canImport(CSQLite)
/// A step that upgrades the values of one version of a type to the next one.
struct Upgrade: Sendable {
    let version: Int
    let oldType: Any.Type
    let newType: Any.Type
    let decode: @Sendable (any RowCoder, UnsafeRawBufferPointer) throws -> Any
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

    /// The type of the identifiers of the version, or `nil` if it isn't known.
    var oldIdentifierType: (any (Hashable & Codable).Type)? {
        guard let type = oldType as? any Identifiable.Type else { return nil }
        return Self.identifierType(of: type)
    }

    private static func identifierType<Value: Identifiable>(
        of type: Value.Type
    ) -> (any (Hashable & Codable).Type)? {
        Value.ID.self as? any (Hashable & Codable).Type
    }

    /// The error of a step that receives a value of another type.
    ///
    /// The types are compared when the graph is created, so it doesn't occur.
    struct OtherType: Error {}
}
#endif
