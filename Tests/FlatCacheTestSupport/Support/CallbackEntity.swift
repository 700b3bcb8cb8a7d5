import FlatCache

/// An entity that runs a closure of the test when the cache merges, compares or relates it.
struct CallbackEntity: Identifiable, Sendable, Equatable, Mergeable, HasCachedRelationships {
    enum Moment: CaseIterable {
        case merging, comparing, relating
    }

    let id: Int
    var revision = 0
    var moment: Moment?
    var action: @Sendable () -> Void = {}

    func merged(with other: CallbackEntity) -> CallbackEntity {
        if other.moment == .merging { other.action() }
        return other
    }

    var relatedCacheKeys: Set<CacheKey> {
        if moment == .relating { action() }
        return []
    }

    static func == (left: CallbackEntity, right: CallbackEntity) -> Bool {
        if right.moment == .comparing { right.action() }
        return left.revision == right.revision
    }
}
