import Synchronization

// Short forms of entities: values that other entities contain in place of whole ones.
//
// If a short form replaced a whole value, a handle that requires the whole one would load it again.
// Two entities whose answers contain each other's short form would be loaded without end.
extension CacheCore {
    /// Records that a loading handle requires whole values of a type.
    func require<Value>(_ type: Value.Type) {
        loaders.withLock { $0.require(type) }
        hasRequirements.store(true, ordering: .relaxed)
    }

    /// Returns values without the nested ones that mustn't replace whole ones, under the writers'
    /// lock.
    ///
    /// A value is whole if it meets the requirement of the type's loader or of an observed handle
    /// to the entity. The method reports the first value of a type that it leaves out.
    ///
    /// - Parameter nested: For each value, `true` if it was nested in another one.
    func withoutShortForms<Value: Identifiable & Sendable>(
        _ values: [Value],
        _ nested: [Bool]
    ) -> [Value] where Value.ID: Sendable {
        let (isRequired, loaderRequirement) = loaders.withLock { loaders in
            (loaders.isRequired(Value.self), loaders.loader(of: Value.self)?.requirement)
        }
        guard isRequired, nested.contains(true) else { return values }
        return writer.runUserCode("requiring:", of: Value.self) {
            // The position of the latest value of each entity in `kept`.
            var positions: [Value.ID: Int] = [:]
            var kept: [Value] = []
            for (value, isNested) in zip(values, nested) {
                if isNested {
                    let existing = positions[value.id].map { kept[$0] } ?? writtenValue(of: value)
                    if let existing, isShort(value, than: existing, loaderRequirement) {
                        reportShortForm(of: value)
                        continue
                    }
                }
                positions[value.id] = kept.count
                kept.append(value)
            }
            return kept
        }
    }

    private func writtenValue<Value: Identifiable & Sendable>(of value: Value) -> Value?
    where Value.ID: Sendable {
        tables.existingTable(of: Value.self)?.writtenValue(id: value.id)
    }

    /// Returns whether an existing value meets a requirement that its replacement, or the result of
    /// the merge, wouldn't meet.
    private func isShort<Value: Identifiable & Sendable>(
        _ value: Value,
        than existing: Value,
        _ loaderRequirement: (@Sendable (Value) -> Bool)?
    ) -> Bool where Value.ID: Sendable {
        let key = CacheKey(Value.self, id: value.id)
        var requirements = observedLoads.withLock { $0.loads(in: .entity(key)) }
            .compactMap { ($0 as? HandleLoading<Value>)?.options.requirement }
        if let loaderRequirement { requirements.append(loaderRequirement) }
        let merge = tables.existingTable(of: Value.self)?.traits.merge
        let successor = requirements.isEmpty ? value : merge?(existing, value) ?? value
        return requirements.contains { $0(existing) && !$0(successor) }
    }

    private func reportShortForm<Value: Identifiable & Sendable>(of value: Value)
    where Value.ID: Sendable {
        report(
            ReportedProblem(.shortForm, of: Value.self),
            of: CacheKey(Value.self, id: value.id),
            """
            A response contains a short form of the entity that doesn't meet the requirement of \
            the loader or of an observed handle. The cache has kept the whole value. Make \
            \(Value.self) Mergeable, so that the cache stores the short form's properties, too.
            """
        )
    }
}
