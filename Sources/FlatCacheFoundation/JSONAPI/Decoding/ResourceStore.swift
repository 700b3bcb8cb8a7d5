import FlatCache

/// The resources of a document on their way to the cache.
///
/// One thread decodes a document.
final class ResourceStore {
    let types: JSONAPITypes
    let userInfo: [CodingUserInfoKey: Any]
    private let ingestion: Ingestion
    /// The numbers of resources whose types aren't listed, by the names of the types.
    private(set) var skippedCounts: [String: Int] = [:]

    init(types: JSONAPITypes, ingestion: Ingestion, userInfo: [CodingUserInfoKey: Any]) {
        self.types = types
        self.ingestion = ingestion
        self.userInfo = userInfo
    }

    /// Returns the resource in an object, or `nil` if its type isn't listed.
    func resource(from decoder: any Decoder) throws -> Resource? {
        let object = try decoder.container(keyedBy: Resource.Key.self)
        let type = try object.decode(String.self, forKey: .type)
        if types[type] != nil { return try Resource(object, ofType: type) }
        skippedCounts[type, default: 0] += 1
        return nil
    }

    /// Decodes the entity of a resource, and hands it over to the scope of the ingest.
    ///
    /// - Parameters:
    ///   - resource: The resource.
    ///   - isIncluded: `true` if the document contains the resource beside its primary data.
    func collectEntity(of resource: Resource, isIncluded: Bool = false) throws {
        guard let type = types[resource.identifier.type] else { return }
        _ = try entity(type, resource, isIncluded: isIncluded)
    }

    /// Decodes an entity, and hands it over to the scope of the ingest.
    func entity<Entity: CacheEntity & Decodable>(
        _ type: Entity.Type,
        _ resource: Resource,
        isIncluded: Bool = false
    ) throws -> Entity {
        do {
            let entity = try Entity(from: ResourceDecoder(resource: resource, store: self))
            if isIncluded { ingestion.collect(nested: entity) } else { ingestion.collect(entity) }
            resource.progress.markCollected()
            return entity
        } catch {
            resource.progress.recordMalformed()
            throw resource.describing(error, in: type)
        }
    }

    /// Throws an error if a resource has another type than the entity that a reference refers to.
    ///
    /// A type that isn't listed can't be verified.
    func check(
        _ identifier: ResourceIdentifier,
        isOf entityType: Any.Type,
        _ codingPath: [any CodingKey]
    ) throws {
        guard let type = types[identifier.type], type != entityType else { return }
        throw DecodingError.typeMismatch(
            entityType,
            DecodingError.Context(
                codingPath: codingPath,
                debugDescription:
                    "The type of \(identifier) is listed as \(type), not \(entityType)."
            )
        )
    }
}
