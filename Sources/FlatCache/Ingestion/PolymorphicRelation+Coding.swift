extension PolymorphicRelation {
    /// Decodes an object that contains the name of a type and an identifier or a whole entity.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: A `DecodingError` that names the relation if the data isn't an object, lacks the
    ///   name of the type or has an unknown one, or the error of ``Related``.
    public init(from decoder: any Decoder) throws {
        let key = AnyCodingKey(stringValue: Self.discriminator)
        let object: KeyedDecodingContainer<AnyCodingKey>
        let type: String
        do {
            object = try decoder.container(keyedBy: AnyCodingKey.self)
            type = try object.decode(String.self, forKey: key)
        } catch let error as DecodingError {
            let container = try? decoder.container(keyedBy: AnyCodingKey.self)
            // A key strategy of the decoder may have renamed the key.
            let keys = container?.allKeys.map { "\"\($0.stringValue)\"" }.sorted() ?? []
            throw error.prefixed(
                "\(Self.self) needs an object with the key \"\(key.stringValue)\". "
                    + (keys.isEmpty ? "" : "The keys are \(keys.joined(separator: ", ")). ")
            )
        }
        let named = Self.cases.first { $0.type == type }
        guard let found = named ?? Self.cases.first(where: { $0.type == nil }) else {
            let known = Self.cases.compactMap(\.type).map { "\"\($0)\"" }.joined(separator: ", ")
            throw DecodingError.dataCorruptedError(
                forKey: key,
                in: object,
                debugDescription:
                    "\(Self.self): unknown type \"\(type)\". The known types are \(known)."
            )
        }
        self = try found.decode(type, object, decoder)
    }

    /// Encodes an object that contains the name of the type and the identifier.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: An error if the identifier can't be encoded, or if ``cases`` lacks the case.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: AnyCodingKey.self)
        let key = AnyCodingKey(stringValue: Self.discriminator)
        for relationCase in Self.cases {
            guard let type = try relationCase.encode(self, &container) else { continue }
            return try container.encode(type, forKey: key)
        }
        throw EncodingError.invalidValue(
            self,
            EncodingError.Context(
                codingPath: encoder.codingPath,
                debugDescription: "\(Self.self).cases lacks the case of \(self)."
            )
        )
    }
}
