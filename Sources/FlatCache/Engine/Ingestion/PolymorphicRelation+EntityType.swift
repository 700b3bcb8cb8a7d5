extension PolymorphicRelation {
    /// Returns the type of the entity that the relation refers to, or `nil` if no case has the name
    /// of the type.
    package func entityType(named name: String) -> Any.Type? {
        if !Self.cases.contains(where: { $0.type == name }) { return nil }
        return Self.cases.lazy.compactMap { $0.cacheKey(self) }.first?.type
    }

    /// Returns the name of the first case for entities of a type, or `nil` if there is none.
    package static func caseName(of entityType: Any.Type) -> String? {
        cases.first { $0.entityType == entityType }?.type
    }
}
