/// The live results that a change concerns only if its values have certain keys in an index.
protocol QueryRoutes<Element>: AnyObject {
    associatedtype Element: Identifiable & Sendable where Element.ID: Sendable

    var isEmpty: Bool { get }

    func insert(_ result: any ElementResult<Element>, for narrowing: any QueryNarrowing<Element>)
    func remove(_ result: any ElementResult<Element>, for narrowing: any QueryNarrowing<Element>)

    /// Calls a closure once with each result for a key of the old or of the new value.
    func forEachResult(
        of old: Element?,
        _ new: Element?,
        _ body: (any ElementResult<Element>) -> Void
    )
}

/// The live results by the keys of an index, guarded by the writers' lock.
final class IndexRoutes<Element: Identifiable & Sendable, Key: Hashable & Sendable>: QueryRoutes
where Element.ID: Sendable {
    private let index: CacheIndex<Element, Key>
    private var results: [Key: RegistrationList<any ElementResult<Element>>] = [:]

    init(_ index: CacheIndex<Element, Key>) { self.index = index }

    var isEmpty: Bool { results.isEmpty }

    func insert(_ result: any ElementResult<Element>, for narrowing: any QueryNarrowing<Element>) {
        for key in keys(of: narrowing) {
            results[key, default: RegistrationList()].insert(result, for: result.number)
        }
    }

    func remove(_ result: any ElementResult<Element>, for narrowing: any QueryNarrowing<Element>) {
        for key in keys(of: narrowing) {
            results[key]?.remove(result.number)
            if results[key]?.isEmpty ?? false { results[key] = nil }
        }
    }

    private func keys(of narrowing: any QueryNarrowing<Element>) -> Set<Key> {
        guard let condition = narrowing as? IndexCondition<Element, Key>,
            case .keys(let keys) = condition.keys
        else { preconditionFailure("A route must have a condition on its index.") }
        return keys
    }

    func forEachResult(
        of old: Element?,
        _ new: Element?,
        _ body: (any ElementResult<Element>) -> Void
    ) {
        var keys: [Key] = []
        let append = { (key: Key) in if !keys.contains(key) { keys.append(key) } }
        if let old { index.forEachKey(old, append) }
        if let new { index.forEachKey(new, append) }
        // A result may have several of the keys.
        var numbers: Set<UInt64> = []
        for key in keys {
            results[key]?.forEach { result in
                if keys.count == 1 || numbers.insert(result.number).inserted { body(result) }
            }
        }
    }
}
