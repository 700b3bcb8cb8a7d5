import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct CommitDeriverTests {
    let cache = Cache()

    @Test func derivedEntitiesChangeInTheSameCommit() {
        let token = ItemGroups.register(in: cache)
        let seen = Recorder<EntityChange<ItemGroup>>()
        let observation = cache.cached(ItemGroup.self, id: 7).observeChanges { seen.append($0) }
        cache.set(contentsOf: [Item(id: 1, group: 7), Item(id: 2, group: 7), Item(id: 3)])
        #expect(seen.all.map(\.new?.members) == [[1, 2]])
        #expect(seen.all.map(\.version) == [1])
        #expect(cache.version == 1)
        cache.remove(Item.self, id: 1)
        #expect(seen.all.last?.new?.members == [2])
        cache.set(Item(id: 2, group: 8))
        #expect(seen.all.last?.new == nil)
        #expect(cache.get(ItemGroup.self, id: 8)?.members == [2])
        cache.core.checkInvariants()
        withExtendedLifetime((token, observation)) {}
    }

    @Test func observerOfADerivedEntityFollowsItsNewRelationships() {
        let token = ItemGroups.register(in: cache)
        let seen = Recorder<EntityChange<ItemGroup>>()
        let observation = cache.cached(ItemGroup.self, id: 7).observeChanges { seen.append($0) }
        cache.set(Item(id: 1, group: 7))
        cache.set(Item(id: 1, group: 7, price: 5))
        #expect(seen.all.map(\.kind) == [.inserted, .related])
        cache.core.checkInvariants()
        withExtendedLifetime((token, observation)) {}
    }

    @Test func derivedEntityThatEndsAsItWasIsNoChange() {
        final class GoingBackAndForth: CommitDeriver {
            func derive(_ commit: inout Commit) {
                commit.set(ItemGroup(id: 1, members: [9]))
                commit.set(ItemGroup(id: 1))
            }
        }
        let token = cache.add(GoingBackAndForth())
        let seen = Recorder<EntityChange<ItemGroup>>()
        let observation = cache.cached(ItemGroup.self, id: 1).observeChanges { seen.append($0) }
        cache.set(Item(id: 1))
        cache.set(Item(id: 2))
        #expect(seen.all.map(\.version) == [1])
        withExtendedLifetime((token, observation)) {}
    }

    @Test func derivedEntityPinsItsItems() {
        struct Favorites: Identifiable, Hashable, Sendable, PinsEntities {
            let id: Int
            var pinnedCacheKeys: Set<CacheKey> { [CacheKey(Item.self, id: 0)] }
        }
        final class Pinning: CommitDeriver {
            func derive(_ commit: inout Commit) { commit.set(Favorites(id: 1)) }
        }
        var configuration = CacheConfiguration()
        configuration.limit(Item.self, .count(2))
        let cache = Cache(configuration: configuration)
        let token = cache.add(Pinning())
        for id in 0..<20 { cache.set(Item(id: id)) }
        #expect(cache.get(Item.self, id: 0) != nil)
        #expect(cache.count(of: Item.self) == 2)
        withExtendedLifetime(token) {}
    }

    @Test func deriverSeesEvictions() {
        var configuration = CacheConfiguration()
        configuration.limit(Item.self, .count(3))
        let cache = Cache(configuration: configuration)
        let token = ItemGroups.register(in: cache)
        for id in 0..<20 { cache.set(Item(id: id, group: 1)) }
        let stored = Set(cache.ids(of: Item.self))
        #expect(stored.count <= 3)
        #expect(cache.get(ItemGroup.self, id: 1)?.members == stored)
        withExtendedLifetime(token) {}
    }

    @Test func derivedEntitiesAreLeftToTheirDeriver() {
        let token = ItemGroups.register(in: cache)
        cache.set(contentsOf: (0..<4).map { Item(id: $0, group: $0 % 2) })
        #expect(cache.trim(to: .count(1)) == 3)
        #expect(cache.count(of: ItemGroup.self) == 1)
        #expect(cache.removeAll() == 1)
        #expect(cache.count(of: ItemGroup.self) == 0)
        cache.set(Item(id: 1, group: 5))
        let observation = cache.cached(Item.self, id: 1).observe { _ in }
        #expect(cache.pruneUnobservedValues() == 0)
        #expect(cache.get(ItemGroup.self, id: 5)?.members == [1])
        observation.dispose()
        #expect(cache.pruneUnobservedValues() == 1)
        #expect(cache.count(of: ItemGroup.self) == 0)
        withExtendedLifetime(token) {}
    }

    @Test func deriverThatWritesAnEntityOfTheUserTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            final class ForeignWriter: CommitDeriver {
                func derive(_ commit: inout Commit) { commit.set(Item(id: 2)) }
            }
            let cache = Cache()
            let token = cache.add(ForeignWriter())
            cache.set(Item(id: 1))
            withExtendedLifetime(token) {}
        }
        let message = try #require(result?.message)
        #expect(message.contains("A deriver can write only types that nothing else writes"))
    }

    @Test func deriverThatWritesToTheCacheTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            final class Writing: CommitDeriver {
                let cache = Cache()
                func derive(_ commit: inout Commit) { cache.set(ItemGroup(id: 2)) }
            }
            let deriver = Writing()
            let token = deriver.cache.add(deriver)
            deriver.cache.set(Item(id: 1))
            withExtendedLifetime(token) {}
        }
        let message = try #require(result?.message)
        #expect(message.contains("set(_:) was called from derive(_:)"))
    }
}
