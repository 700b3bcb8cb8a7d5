/// A type whose values can contain entities: a collection of the standard library, or an optional.
///
/// A generic request function knows nothing about its result, so the entities are found at run
/// time. The decision is made once for all elements, by their static type.
protocol EntityContainer {
    static var elementType: Any.Type { get }

    func collectEntities(in ingestion: Ingestion)
}

extension Ingestion {
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
            // If the static type is an existential, the elements have types of their own.
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

extension Array: EntityContainer {
    static var elementType: Any.Type { Element.self }
    func collectEntities(in ingestion: Ingestion) { ingestion.collect(elements: self) }
}

extension ArraySlice: EntityContainer {
    static var elementType: Any.Type { Element.self }
    func collectEntities(in ingestion: Ingestion) { ingestion.collect(elements: Array(self)) }
}

extension ContiguousArray: EntityContainer {
    static var elementType: Any.Type { Element.self }
    func collectEntities(in ingestion: Ingestion) { ingestion.collect(elements: Array(self)) }
}

extension Set: EntityContainer {
    static var elementType: Any.Type { Element.self }
    func collectEntities(in ingestion: Ingestion) { ingestion.collect(elements: Array(self)) }
}

extension Dictionary: EntityContainer {
    static var elementType: Any.Type { Value.self }
    func collectEntities(in ingestion: Ingestion) { ingestion.collect(elements: Array(values)) }
}
