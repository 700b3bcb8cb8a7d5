import FlatCache

/// A decoder of a document's primary data.
///
/// It hands over each resource to the store when a type asks for it, so that a type that drops
/// malformed elements works. At the end, it hands over the remaining resources.
struct PrimaryDecoder: ValueDecoder {
    enum Content {
        case null
        /// A resource whose type isn't listed.
        case skipped(any Decoder)
        case one(Resource)
        /// An element of a list that isn't a resource.
        case malformed(MalformedResource)
        /// The resources of listed types and the malformed elements, with their indices.
        case many([(index: Int, content: Content)])
    }

    let content: Content
    let store: ResourceStore
    let codingPath: [any CodingKey]

    var userInfo: [CodingUserInfoKey: Any] { store.userInfo }

    var isNull: Bool {
        switch content {
        case .null, .skipped: true
        case .one, .malformed, .many: false
        }
    }

    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if case .one(let resource) = content { return try value(type, of: resource) }
        if type is any Identifiable.Type || ContainerTypes.contains(type)
            || type is any RelatedReference.Type
        {
            throw mismatchOfOne(type)
        }
        return try Value(from: self)
    }

    /// Collects the resources that no type has asked for, in the order of the document.
    ///
    /// Bare identifiers have no content to store. The method throws the error of a malformed
    /// element that no type has asked for.
    func collectRest() throws {
        switch content {
        case .null, .skipped: break
        case .one(let resource):
            if resource.progress.isPending, !resource.isIdentifier {
                try store.collectEntity(of: resource)
            }
        case .malformed(let resource):
            if !resource.isReported { throw resource.error }
        case .many(let elements):
            for (_, content) in elements { try element(content).collectRest() }
        }
    }

    private func value<Value: Decodable>(
        _ type: Value.Type,
        of resource: Resource
    ) throws -> Value {
        let start = resource.progress
        do {
            let value = try read(type, from: resource)
            resource.progress.accept(since: start)
            return value
        } catch let mismatch as EntityMismatch {
            resource.progress.recordMismatch()
            throw mismatch.error
        } catch {
            resource.progress.reject(since: start)
            guard let entityType = store.types[resource.identifier.type] else { throw error }
            throw resource.describing(error, in: entityType)
        }
    }

    private func read<Value: Decodable>(
        _ type: Value.Type,
        from resource: Resource
    ) throws -> Value {
        let identifier = resource.identifier
        if let entityType = store.types[identifier.type], entityType == type,
            let entity = try store.entity(entityType, resource) as? Value
        {
            return entity
        }
        let reference = type as? any RelatedReference.Type
        if reference != nil || type is any PolymorphicRelation.Type {
            if let reference { try check(identifier, isOf: reference.entityType) }
            if !resource.isIdentifier { try store.collectEntity(of: resource) }
            return try LinkageDecoder(
                linkage: .one(identifier),
                store: store,
                codingPath: codingPath
            ).value(type)
        }
        if type is any Identifiable.Type { try check(identifier, isOf: type) }
        if ContainerTypes.contains(type) { throw mismatch(type, "The primary data is a resource.") }
        return try Value(from: self)
    }

    private func check(_ identifier: ResourceIdentifier, isOf type: Any.Type) throws {
        do {
            try store.check(identifier, isOf: type, codingPath)
        } catch {
            throw EntityMismatch(error: error)
        }
    }

    private func element(_ content: Content) -> PrimaryDecoder {
        let codingPath =
            switch content {
            case .one(let resource): resource.object.codingPath
            case .malformed(let resource): resource.codingPath
            case .null, .skipped, .many: codingPath
            }
        return PrimaryDecoder(content: content, store: store, codingPath: codingPath)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .one(let resource) = content else { throw mismatchOfOne([String: Never].self) }
        resource.progress.countRead()
        return try ResourceDecoder(resource: resource, store: store).container(keyedBy: type)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        switch content {
        case .many(let elements):
            return DecoderList(
                elements: elements.map { ($0.index, element($0.content)) },
                codingPath: codingPath
            )
        case .malformed(let resource): throw resource.report()
        case .null, .skipped, .one:
            throw mismatch([Never].self, "The primary data is not an array.")
        }
    }

    /// Returns an error for data that isn't exactly one resource.
    private func mismatchOfOne(_ type: Any.Type) -> any Error {
        let description: String
        switch content {
        case .malformed(let resource): return resource.report()
        case .one, .many:
            return mismatch(type, "The primary data is an array, not one resource.")
        case .skipped(let object):
            let resource = Resource.description(ofUnlisted: object)
            description = "The primary data is \(resource), whose type isn't listed."
        case .null: description = "The primary data is null."
        }
        let context = DecodingError.Context(codingPath: codingPath, debugDescription: description)
        return DecodingError.valueNotFound(type, context)
    }
}

/// An error for a resource whose entity has another type than a value.
private struct EntityMismatch: Error {
    let error: any Error
}
