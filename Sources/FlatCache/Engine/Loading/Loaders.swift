/// The loaders of a cache, by the types of their entities.
@usableFromInline
struct Loaders: Sendable {
    private var loaders: [ObjectIdentifier: (number: UInt64, loader: any Sendable)] = [:]
    private var lastNumber: UInt64 = 0
    /// The types that have had a requirement of whole values.
    private(set) var requiredTypes: Set<ObjectIdentifier> = []

    @usableFromInline
    mutating func set<Value>(_ loader: RegisteredLoader<Value>) {
        lastNumber += 1
        if loader.requirement != nil { require(Value.self) }
        loaders[ObjectIdentifier(Value.self)] = (lastNumber, loader)
    }

    /// Records that a loader or a loading handle requires whole values of a type.
    mutating func require<Value>(_ type: Value.Type) {
        requiredTypes.insert(ObjectIdentifier(type))
    }

    func isRequired<Value>(_ type: Value.Type) -> Bool {
        requiredTypes.contains(ObjectIdentifier(type))
    }

    func requirement<Value: Identifiable & Sendable>(
        of type: Value.Type
    ) -> (@Sendable (Value) -> Bool)? where Value.ID: Sendable {
        (loaders[ObjectIdentifier(type)]?.loader as? RegisteredLoader<Value>)?.requirement
    }

    func loader<Value>(of type: Value.Type, on timeline: any Timeline) -> EntityLoader<Value>? {
        guard let (number, loader) = loaders[ObjectIdentifier(type)] else { return nil }
        return (loader as? RegisteredLoader<Value>)?.loader(group: number, on: timeline)
    }
}
