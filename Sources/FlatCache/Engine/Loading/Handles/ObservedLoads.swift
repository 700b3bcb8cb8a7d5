/// The loading handles of a cache that are observed, by the keys of their entities.
struct ObservedLoads {
    private var loads: [CacheKey: [ObjectIdentifier: any ObservedLoad]] = [:]

    var isEmpty: Bool { loads.isEmpty }

    mutating func insert(_ load: any ObservedLoad, of key: CacheKey) {
        loads[key, default: [:]][ObjectIdentifier(load)] = load
    }

    mutating func remove(_ load: any ObservedLoad, of key: CacheKey) {
        loads[key]?[ObjectIdentifier(load)] = nil
        if loads[key]?.isEmpty ?? false { loads[key] = nil }
    }

    func loads(of key: CacheKey) -> [any ObservedLoad] { loads[key].map { Array($0.values) } ?? [] }

    func loads(where isChosen: (CacheKey) -> Bool) -> [any ObservedLoad] {
        loads.filter { isChosen($0.key) }.flatMap(\.value.values)
    }
}
