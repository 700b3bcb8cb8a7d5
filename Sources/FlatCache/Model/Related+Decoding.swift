extension Related: Decodable where Value.ID: Decodable {
    /// Decodes an identifier, an object that contains only the key `id`, or a whole entity.
    ///
    /// A whole entity is stored by the cache that ingests it, or else discarded. The three shapes
    /// can occur side by side in one response. If data could have several shapes, the shape of the
    /// last decoded reference to the type takes precedence, then the identifier.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: A `DecodingError` that names the entity's type if the data has none of the shapes,
    ///   or the error of an object's property that can't be decoded. Entities must not be embedded
    ///   in each other more than 256 levels deep, or deeper than the thread's stack allows.
    public init(from decoder: any Decoder) throws {
        self.init(try RelationDecoding<Value>(decoder, Ingestion.current(for: decoder)).decode())
    }
}
