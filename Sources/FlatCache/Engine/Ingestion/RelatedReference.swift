/// A reference to an entity of one type, for decoders that know the shape of a reference.
package protocol RelatedReference {
    /// The type of the entity.
    static var entityType: Any.Type { get }

    /// Decodes a bare identifier.
    init(identifierFrom decoder: any Decoder) throws
}

extension Related: RelatedReference where Value.ID: Decodable {
    package static var entityType: Any.Type { Value.self }

    package init(identifierFrom decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Value.ID.self))
    }
}
