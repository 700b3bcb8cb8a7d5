/// The sources of a cache, by the types of their entities.
struct EntitySources: Sendable {
    private var sources: [ObjectIdentifier: (number: UInt64, source: any EntitySource)] = [:]

    /// Sets the source of types.
    mutating func set(_ source: any EntitySource, of types: [ObjectIdentifier], number: UInt64) {
        for type in types { sources[type] = (number, source) }
    }

    /// Removes a source; returns it, to be released after the lock.
    mutating func remove(_ number: UInt64) -> (any EntitySource)? {
        let removed = sources.filter { $0.value.number == number }
        for type in removed.keys { sources[type] = nil }
        return removed.first?.value.source
    }

    mutating func removeAll() -> [any EntitySource] {
        defer { sources = [:] }
        return sources.values.map(\.source)
    }

    var isEmpty: Bool { sources.isEmpty }

    func source(of type: ObjectIdentifier) -> (any EntitySource)? { sources[type]?.source }

    func contains(_ type: ObjectIdentifier) -> Bool { sources[type] != nil }
}
