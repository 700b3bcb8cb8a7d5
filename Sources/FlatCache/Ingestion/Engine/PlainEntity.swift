/// An entity that an ingest doesn't store, since it is in a plain property of a response.
struct PlainEntity: Sendable {
    let response: ReportedProblem
    /// The response's type and the name of the property, such as `Page.items`.
    let property: String
    let entity: any CacheEntity

    /// Finds an entity in the properties of a response.
    ///
    /// - Returns: The entity, or `nil` if the properties contain none.
    init?<Response>(in response: Response, _ hasEntityProperties: inout Bool) {
        for (label, value) in Mirror(reflecting: response).children {
            guard Self.holdsEntities(type(of: value)) else { continue }
            hasEntityProperties = true
            guard let entity = Self.entity(in: value) else { continue }
            self.response = ReportedProblem(.plainEntity, of: Response.self)
            self.entity = entity
            property = "\(Response.self).\(label ?? "")"
            return
        }
        return nil
    }

    private static func holdsEntities(_ type: Any.Type) -> Bool {
        if type is any CacheEntity.Type { return true }
        return (type as? any EntityContainer.Type).map { holdsEntities($0.elementType) } ?? false
    }

    private static func entity(in value: Any) -> (any CacheEntity)? {
        if let entity = value as? any CacheEntity { return entity }
        let mirror = Mirror(reflecting: value)
        // An element of a dictionary is a tuple of a key and a value.
        let isPair = mirror.displayStyle == .tuple
        let child = isPair ? mirror.children.dropFirst().first : mirror.children.first
        return child.flatMap { entity(in: $0.value) }
    }
}

extension Ingestion {
    /// Looks for entities in plain properties of a response, once for each type of response.
    func findPlainEntity<Response>(in response: Response) {
        let problem = ReportedProblem(.plainEntity, of: Response.self)
        if core.reportedProblems.withLock({ $0.contains(problem) }) { return }
        var hasEntityProperties = false
        let found = PlainEntity(in: response, &hasEntityProperties)
        if let found { state.withLock { $0.plainEntity = found } }
        // A response without such properties needs no second look, unlike one without elements.
        if !hasEntityProperties { core.reportedProblems.withLock { _ = $0.insert(problem) } }
    }
}

extension CacheCore {
    /// Reports an entity in a plain property of a response, unless the app has stored it.
    ///
    /// In a batch, the app may store it later, so nothing is decided there.
    func report(_ plain: PlainEntity?) {
        guard let plain, !writerLock.isHeldByCurrentThread else { return }
        report(plain.entity, plain)
    }

    private func report<Entity: CacheEntity>(_ entity: Entity, _ plain: PlainEntity) {
        if isClosed { return }
        if get(Entity.self, id: entity.id) != nil {
            return reportedProblems.withLock { _ = $0.insert(plain.response) }
        }
        report(
            plain.response,
            of: CacheKey(entity),
            """
            The property \(plain.property) of a response contains the entity, which hasn't been \
            stored: an ingest stores the entities at a Related, and its result if that is an \
            entity or a collection. Declare each entity of a response as Related<\(Entity.self)>, \
            or store it in the ingest's closure `apply`.
            """
        )
    }
}

/// A type whose values can contain entities: a collection of the standard library, or an optional.
///
/// A generic request function knows nothing about its result, so the entities are found at run
/// time. The decision is made once for all elements, by their static type.
protocol EntityContainer {
    static var elementType: Any.Type { get }

    func collectEntities(in ingestion: Ingestion)
}

extension Ingestion {
    /// Traps if a result consists of `Identifiable` values whose type isn't a `CacheEntity`.
    ///
    /// They would be found where their type is known at compile time only, and not in generic code
    /// or with a conformance that is isolated to an actor.
    static func checkEntities(of type: Any.Type) {
        if let container = type as? any EntityContainer.Type {
            return checkEntities(of: container.elementType)
        }
        precondition(
            type is any CacheEntity.Type || !(type is any Identifiable.Type),
            """
            The result of an ingest contains \(type), which is Identifiable, but not a \
            CacheEntity. If it's an entity, adopt CacheEntity. Otherwise, return a value of \
            another type from the closure.
            """
        )
    }

    /// Collects a result that is an entity, or a container of entities.
    func collectEntities<Result>(in result: Result) {
        if let type = Result.self as? any CacheEntity.Type {
            collect(result, as: type)
        } else if let container = result as? any EntityContainer {
            container.collectEntities(in: self)
        } else if let entity = result as? any CacheEntity {
            // The static type is an existential, such as `any CacheEntity`.
            collect(result: entity)
        } else {
            findPlainEntity(in: result)
        }
    }

    // In the following functions, the opened type is the static type of the values, because it was
    // cast from its metatype. So values of the two types have the same bits.

    private func collect<Result, Entity: CacheEntity>(_ result: Result, as type: Entity.Type) {
        collect(result: unsafeBitCast(result, to: type))
    }

    fileprivate func collect<Element>(elements: [Element]) {
        if let type = Element.self as? any CacheEntity.Type {
            collect(elements: elements, as: type)
        } else if Element.self is any EntityContainer.Type {
            for element in elements { collectEntities(in: element) }
        } else {
            // If the static type is an existential, each element has its own type.
            for element in elements where type(of: element as Any) != Element.self {
                collectEntities(in: element)
            }
        }
    }

    private func collect<Element, Entity: CacheEntity>(
        elements: [Element],
        as type: Entity.Type
    ) {
        collect(results: unsafeBitCast(elements, to: [Entity].self))
    }
}

extension Optional: EntityContainer {
    static var elementType: Any.Type { Wrapped.self }

    func collectEntities(in ingestion: Ingestion) {
        if let self { ingestion.collectEntities(in: self) }
    }
}

extension EntityContainer where Self: Sequence {
    static var elementType: Any.Type { Element.self }
    func collectEntities(in ingestion: Ingestion) { ingestion.collect(elements: Array(self)) }
}

extension Array: EntityContainer {}
extension ArraySlice: EntityContainer {}
extension ContiguousArray: EntityContainer {}
extension Set: EntityContainer {}

extension Dictionary: EntityContainer {
    static var elementType: Any.Type { Value.self }
    func collectEntities(in ingestion: Ingestion) { ingestion.collect(elements: Array(values)) }
}
