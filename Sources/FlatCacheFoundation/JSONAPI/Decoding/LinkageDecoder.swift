import FlatCache

/// A decoder of the data of a relationship: the identifiers of the related resources.
struct LinkageDecoder: ValueDecoder {
    enum Linkage {
        case null
        case one(ResourceIdentifier)
        case many([Linkage])
        /// An element that isn't an identifier, with the error for a type that reads it.
        case malformed(any Error)
    }

    let linkage: Linkage
    let store: ResourceStore
    let codingPath: [any CodingKey]
    /// The key under which an identifier contains the name of its type.
    var typeKey = "type"

    var userInfo: [CodingUserInfoKey: Any] { store.userInfo }

    var isNull: Bool { if case .null = linkage { true } else { false } }

    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard case .one(let identifier) = linkage else {
            if type is any RelatedReference.Type || IdentifierText.reads(type) {
                throw mismatchOfOne(type)
            }
            return try Value(from: self)
        }
        if let reference = type as? any RelatedReference.Type {
            try store.check(identifier, isOf: reference.entityType, codingPath)
            if let value = try reference.init(identifierFrom: text(identifier)) as? Value {
                return value
            }
        }
        if IdentifierText.reads(type) { return try text(identifier).value(type) }
        guard let relationType = type as? any PolymorphicRelation.Type else {
            return try Value(from: self)
        }
        var decoder = self
        decoder.typeKey = relationType.discriminator
        let value = try Value(from: decoder)
        if let relation = value as? any PolymorphicRelation {
            if let entityType = relation.entityType(named: identifier.type) {
                try store.check(identifier, isOf: entityType, codingPath)
            } else {
                try checkIsUnknown(identifier, to: relationType)
            }
        }
        return value
    }

    /// Throws an error if a relation has a case for the type of a resource under another name.
    private func checkIsUnknown(
        _ identifier: ResourceIdentifier,
        to relationType: any PolymorphicRelation.Type
    ) throws {
        guard let entityType = store.types[identifier.type],
            let name = relationType.caseName(of: entityType)
        else { return }
        throw mismatch(
            relationType,
            """
            \(relationType) knows \(entityType) by the name "\(name)", and not by the type \
            "\(identifier.type)" of \(identifier). Add a RelationCase with this name.
            """
        )
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .one(let identifier) = linkage else { throw mismatchOfOne([String: Never].self) }
        return KeyedDecodingContainer(
            IdentifierContainer(
                identifier: identifier,
                typeKey: typeKey,
                codingPath: codingPath,
                userInfo: userInfo
            )
        )
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .many(let linkages) = linkage else {
            throw mismatch([Never].self, "The relationship is to one resource, not to many.")
        }
        let elements = linkages.enumerated().map { index, linkage in
            let decoder = LinkageDecoder(
                linkage: linkage,
                store: store,
                codingPath: codingPath + [IndexKey(index)]
            )
            return (index, decoder)
        }
        return DecoderList(elements: elements, codingPath: codingPath)
    }

    private func text(_ identifier: ResourceIdentifier) -> IdentifierText {
        IdentifierText(
            text: identifier.id,
            codingPath: codingPath + [Resource.Key.id],
            userInfo: userInfo
        )
    }

    /// Returns an error for a relationship that isn't to exactly one resource.
    private func mismatchOfOne(_ type: Any.Type) -> any Error {
        if case .malformed(let error) = linkage { return error }
        if isNull {
            let description = "The relationship is null."
            return DecodingError.valueNotFound(
                type,
                .init(codingPath: codingPath, debugDescription: description)
            )
        }
        return mismatch(type, "The relationship is to many resources, not to one.")
    }
}

struct IndexKey: CodingKey {
    let intValue: Int?
    var stringValue: String { "Index \(intValue ?? 0)" }

    init(_ index: Int) { intValue = index }
    init?(intValue: Int) { self.init(intValue) }
    init?(stringValue: String) { nil }
}
