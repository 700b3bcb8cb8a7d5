import Synchronization
import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

extension LayerTest {
    mutating func check() {
        compare(cache, documents, lists)
        compare(cache.confirmed, documents, lists, confirmed: true)
        let visible = ids.compactMap { documents.visible($0) }
        #expect(query.elements == visible.filter { $0.first ?? 0 > 50 }, "\(place)")
        #expect(
            pendingQuery.elements == visible.filter { documents.isPending($0.id) },
            "\(place)"
        )
        let values = received.values.withLock { received in
            defer { received = [:] }
            return received
        }
        let pending = received.pending.withLock { received in
            defer { received = [:] }
            return received
        }
        for id in ids {
            let (new, isPending) = (documents.visible(id), documents.isPending(id))
            // An observer is called exactly if the visible value has changed.
            #expect(values[id] ?? [] == (new == checked[id] ? [] : [new]), "\(place), \(id)")
            let wasPending = checkedPending[id] ?? false
            #expect(pending[id] ?? [] == (isPending == wasPending ? [] : [isPending]), "\(place)")
            #expect(cache.cached(Document.self, id: id).isPending == isPending, "\(place)")
            checked[id] = new
            checkedPending[id] = isPending
        }
        #expect(
            cache.pendingLayers.elements.map(\.label)
                == layers.sorted { $0.number < $1.number }
                .map(\.layer.label),
            "\(place)"
        )
        cache.core.checkInvariants()
    }

    func compare(
        _ cache: some ReadableCache,
        _ documents: Documents,
        _ lists: Lists,
        confirmed: Bool = false
    ) {
        for id in ids {
            #expect(
                cache.get(Document.self, id: id)
                    == (confirmed ? documents.confirmed[id] : documents.visible(id)),
                "\(place), \(id), confirmed: \(confirmed)"
            )
        }
        #expect(
            cache.count(of: Document.self)
                == ids.count {
                    (confirmed ? documents.confirmed[$0] : documents.visible($0)) != nil
                },
            "\(place), confirmed: \(confirmed)"
        )
        #expect(Set(cache.values(of: Document.self).map(\.id)) == Set(cache.ids(of: Document.self)))
        for name in names {
            #expect(
                cache.get(ListState<Document>.self, id: name)?.ids ?? []
                    == (confirmed ? lists.confirmed[name] : lists.visible(name)) ?? [],
                "\(place), \(name), confirmed: \(confirmed)"
            )
        }
    }

    func unique(_ ids: [Int]) -> [Int] {
        ids.enumerated().filter { ids.firstIndex(of: $1) == $0 }.map(\.element)
    }
}
