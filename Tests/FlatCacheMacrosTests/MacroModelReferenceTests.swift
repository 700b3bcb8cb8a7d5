#if Macros
import FlatCache
import Testing

/// A struct whose name is the name of a plain type.
private enum Shop {
    struct Data: CachedReference {
        var author: Related<Author>

        func insertCacheKeys(into keys: inout Set<CacheKey>) {
            author.insertCacheKeys(into: &keys)
        }
    }
}

@CachedRelationships
private struct Row<Item: Sendable> {
    var first: Item?
    var items: [Item] = []
    var named: [String: Item] = [:]
    var valid = ValidElements<Item>([])
}

@CachedRelationships
private struct Feed {
    let id: Related<Author>
    var data = Shop.Data(author: Related(2))
    var valid: ValidElements<Related<Author>> = ValidElements([Related(3)])
    var owners: ValidElements<OwnerRef> = ValidElements([.author(Related(4))])
    var slice: ArraySlice<Related<Author>> = [Related(5)]
    var contiguous: ContiguousArray<Related<Author>> = [Related(6)]
    var any: any CachedReference & Sendable = Related<Author>(7)
    var list: [any CachedReference & Sendable] = [
        Related<Author>(8), [OwnerRef.author(Related(9))],
    ]
    var optionals: [(any CachedReference & Sendable)?] = [nil, Related<Author>(10)]
    var named: [String: any CachedReference & Sendable] = ["a": Related<Author>(11)]
    var pair: (Int, [String?]) = (1, [])
    var others: [Any.Type] = [Int.self]
}

/// The keys that `@CachedRelationships` finds in properties of any type at run time.
struct MacroModelReferenceTests {
    private func keys(_ ids: ClosedRange<Int>) -> Set<CacheKey> {
        Set(ids.map { CacheKey(Author.self, id: $0) })
    }

    @Test func referencesInStandardCollectionsAndExistentialsAreFound() {
        #expect(Feed(id: Related(1)).relatedCacheKeys == keys(1...11))
    }

    @Test func genericArgumentsThatAreReferencesAreFound() {
        let row = Row<Related<Author>>(
            first: Related(1),
            items: [Related(2)],
            named: ["a": Related(3)],
            valid: ValidElements([Related(4)])
        )
        #expect(row.relatedCacheKeys == keys(1...4))
        let optionals = Row<Related<Author>?>(first: Related(1), items: [nil, Related(2)])
        #expect(optionals.relatedCacheKeys == keys(1...2))
    }

    @Test func genericArgumentsWithoutReferencesHaveNoKeys() {
        let row = Row(first: 1, items: [2], named: ["a": 3], valid: ValidElements([4]))
        #expect(row.relatedCacheKeys.isEmpty)
        #expect(Row<Related<Author>>().relatedCacheKeys.isEmpty)
        #expect(Row(first: "a", items: ["b"], named: ["c": "d"]).relatedCacheKeys.isEmpty)
    }
}
#endif
