/// A type whose values refer to entities and can't be stored.
@usableFromInline
protocol EntityReference {}

extension Cached: EntityReference {}

extension CachedList: EntityReference {}
