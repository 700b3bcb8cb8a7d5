import Synchronization

extension CacheAccess {
    /// Makes loads and observations of missing entities ask a source.
    ///
    /// - Parameters:
    ///   - source: The source, which the cache retains until the token ends.
    ///   - types: The types of its entities, which have no other source. A source with a journal of
    ///     requests names `RequestState`.
    /// - Returns: The token that removes the source.
    package func add(_ source: any EntitySource, of types: [Any.Type]) -> Disposable {
        let number = core.nextRegistration()
        let types = types.map { ObjectIdentifier($0) }
        core.sources.withLock { $0.set(source, of: types, number: number) }
        core.asksSources.store(true, ordering: .sequentiallyConsistent)
        // Entities that are observed already may be missing.
        core.register(
            Registration(add: { [unowned core] _ in core.recordMissingEntities() }),
            "add(_:of:)"
        )
        return Disposable { [core] in
            let removed = core.sources.withLock { $0.remove(number) }
            withExtendedLifetime(removed) {}
        }
    }
}
