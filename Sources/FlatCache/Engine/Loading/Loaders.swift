/// The loaders of a cache, by the types of their entities.
@usableFromInline
struct Loaders: Sendable {
    private var loaders: [ObjectIdentifier: (number: UInt64, loader: any Sendable)] = [:]
    private var lastNumber: UInt64 = 0

    @usableFromInline
    mutating func set<Value>(_ loader: RegisteredLoader<Value>) {
        lastNumber += 1
        loaders[ObjectIdentifier(Value.self)] = (lastNumber, loader)
    }

    func loader<Value>(of type: Value.Type, on timeline: any Timeline) -> EntityLoader<Value>? {
        guard let (number, loader) = loaders[ObjectIdentifier(type)] else { return nil }
        return (loader as? RegisteredLoader<Value>)?.loader(group: number, on: timeline)
    }
}
