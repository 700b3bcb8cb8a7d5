import Synchronization
import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// A cache and its naive reference.
struct LayerTest {
    typealias Document = LayerModelTests.Document
    typealias Documents = LayerModelTests.Documents
    typealias Lists = LayerModelTests.Lists

    let cache = Cache()
    var place = ""
    var random: SplitMix64
    var documents = Documents()
    var lists = Lists()
    var layers: [(number: Int, layer: OpenLayer)] = []
    var lastLayer = 0
    let ids = 0..<5
    let names = ["a", "b"]
    /// The values that the observers have received since the last check.
    let received = Received()
    let query: CachedQuery<Document>
    let pendingQuery: CachedQuery<Document>
    var tokens: [Disposable] = []
    /// The visible values at the last check.
    var checked: [Int: Document] = [:]
    var checkedPending: [Int: Bool] = [:]

    final class Received: Sendable {
        let values = Mutex<[Int: [Document?]]>([:])
        let pending = Mutex<[Int: [Bool]]>([:])
    }

    init(seed: Seed) {
        random = SplitMix64(seed: seed)
        query = cache.query(Document.self).where { $0.first ?? 0 > 50 }.sorted(by: \.id)
        pendingQuery = cache.query(Document.self)
            .where { $1.isPending(Document.self, id: $0.id) }.sorted(by: \.id)
        tokens = [query.keepCurrent(), pendingQuery.keepCurrent()]
        for id in ids {
            let handle = cache.cached(Document.self, id: id)
            tokens.append(
                handle.observeChanges { [received] change in
                    received.values.withLock { $0[id, default: []].append(change.new) }
                }
            )
            tokens.append(
                handle.pendingState.observeChanges { [received] change in
                    received.pending.withLock { $0[id, default: []].append(change.new) }
                }
            )
        }
    }

    // MARK: Steps

    mutating func step() async throws {
        switch random.below(11) {
        case 0:
            lastLayer += 1
            let number = lastLayer
            layers.append((number, cache.beginLayer("\(number)") { edit(number, $0) }))
        case 1:
            guard let (number, layer) = randomLayer() else { return }
            try layer.change { edit(number, $0) }
        case 2:
            guard let (number, layer) = randomLayer() else { return }
            documents.clear(number)
            lists.clear(number)
            try layer.replace { edit(number, $0) }
            documents.removeCleared()
            lists.removeCleared()
        case 3:
            guard let (number, layer) = takeLayer() else { return }
            try await confirm(number, layer)
        case 4:
            guard let (number, layer) = takeLayer() else { return }
            layer.rollBack()
            documents.rollBack(number)
            lists.rollBack(number)
        case 5: batch()
        case 6 where random.below(4) == 0:
            cache.removeAll()
            (documents, lists) = (Documents(), Lists())
            for (_, layer) in layers {
                #expect(throws: LayerError.ended(label: layer.label)) { try layer.confirm() }
            }
            layers = []
        case 7:
            // A snapshot shows the state at which it was opened.
            let (before, listsBefore) = (documents, lists)
            cache.withSnapshot { snapshot in
                write(to: cache)
                compare(snapshot, before, listsBefore)
                compare(snapshot.confirmed, before, listsBefore, confirmed: true)
            }
        case 8 where random.below(2) == 0:
            let id = random.below(ids.count)
            let number = random.below(100)
            cache.cached(Document.self, id: id).value?.second = number
            documents.confirmed[id]?.second = number
        default: write(to: cache)
        }
    }

    private mutating func confirm(_ number: Int, _ layer: OpenLayer) async throws {
        switch random.below(3) {
        case 0:
            try layer.confirm()
            _ = documents.apply(number)
            _ = lists.apply(number)
        case 1:
            let response = (0..<random.below(3)).map { _ in document() }
            try await layer.confirm { Ingestion.current?.collect(contentsOf: response) }
            let removed = documents.apply(number)
            _ = lists.apply(number)
            for value in response where !removed.contains(value.id) { set(value) }
        default:
            let (old, new) = (random.below(ids.count), random.below(ids.count))
            let value = document(new)
            try await layer.confirm {
                Ingestion.current?.collect(value)
            } apply: { batch, _ in
                batch.replaceIdentifier(of: Document.self, from: old, to: new)
            }
            let removed = documents.apply(number)
            _ = lists.apply(number)
            if !removed.contains(new) { set(value) }
            if old != new { rename(old, new) }
        }
        documents.settle()
        lists.settle()
    }

    private mutating func rename(_ old: Int, _ new: Int) {
        documents.rename(old, new)
        lists.renameElement(old, new)
        for name in names {
            guard let list = lists.confirmed[name], list.contains(old) else { continue }
            lists.confirmed[name] =
                list.contains(new)
                ? list.filter { $0 != old } : list.map { $0 == old ? new : $0 }
        }
    }

    private mutating func batch() {
        let before = (documents, lists, layers.count, lastLayer)
        let throwsError = random.below(3) == 0
        try? cache.performBatchUpdates { batch in
            for _ in 0..<3 {
                switch random.below(5) {
                case 0:
                    lastLayer += 1
                    let number = lastLayer
                    layers.append((number, batch.beginLayer("\(number)") { edit(number, $0) }))
                case 1 where !throwsError:
                    guard let (number, layer) = takeLayer() else { break }
                    layer.rollBack()
                    documents.rollBack(number)
                    lists.rollBack(number)
                default: write(to: batch)
                }
                compare(batch, documents, lists)
                compare(batch.confirmed, documents, lists, confirmed: true)
            }
            if throwsError { throw LayerModelTests.Refusal() }
        }
        if throwsError {
            (documents, lists) = (before.0, before.1)
            // The layers that began in the batch have ended.
            let undone = layers[before.2...]
            layers.removeLast(undone.count)
            for (_, layer) in undone {
                #expect(throws: LayerError.ended(label: layer.label)) { try layer.change { _ in } }
            }
        }
    }

    private mutating func write(to target: some CacheType) {
        let id = random.below(ids.count)
        switch random.below(8) {
        case 0:
            let value = document(id)
            target.replace(value)
            documents.confirmed[id] = value
        case 1:
            let number = random.below(100)
            let updated = target.update(Document.self, id: id) { $0.second = number }
            #expect((updated == nil) == (documents.confirmed[id] == nil), "\(place)")
            documents.confirmed[id]?.second = number
            #expect(updated == documents.confirmed[id], "\(place)")
        case 2:
            let removed = target.remove(Document.self, id: id)
            #expect(removed == documents.confirmed[id], "\(place)")
            documents.confirmed[id] = nil
        case 3:
            let values = (0..<3).map { _ in document() }
            target.set(contentsOf: values)
            for value in values { set(value) }
        case 4:
            let name = names[random.below(names.count)]
            let newIDs = (0..<random.below(4)).map { _ in random.below(ids.count) }
            target.list(name, of: Document.self).replace(withIDs: newIDs)
            lists.confirmed[name] = unique(newIDs)
        case 5:
            let name = names[random.below(names.count)]
            let list = target.list(name, of: Document.self)
            list.update { $0.append(id) }
            lists.confirmed[name] = unique((lists.confirmed[name] ?? []) + [id])
        case 6 where random.below(3) == 0:
            target.removeAll(Document.self)
            documents.confirmed = [:]
        default:
            let value = document(id)
            let stored = target.set(value)
            set(value)
            #expect(stored == documents.confirmed[id], "\(place)")
        }
    }

    private mutating func set(_ value: Document) {
        documents.confirmed[value.id] =
            documents.confirmed[value.id]?.merged(with: value) ?? value
    }

    mutating func rollBackAll() {
        while let (number, layer) = layers.last {
            layer.rollBack()
            documents.rollBack(number)
            lists.rollBack(number)
            layers.removeLast()
            check()
        }
    }

    // MARK: Random edits

    private mutating func randomLayer() -> (number: Int, layer: OpenLayer)? {
        layers.isEmpty ? nil : layers[random.below(layers.count)]
    }

    private mutating func takeLayer() -> (number: Int, layer: OpenLayer)? {
        layers.isEmpty ? nil : layers.remove(at: random.below(layers.count))
    }

    private mutating func document(_ id: Int? = nil) -> Document {
        Document(
            id: id ?? random.below(ids.count),
            first: random.below(2) == 0 ? nil : random.below(100),
            second: random.below(2) == 0 ? nil : random.below(100)
        )
    }

    private mutating func edit(_ number: Int, _ layer: CacheLayer) {
        for _ in 0..<random.below(4) {
            let id = random.below(ids.count)
            switch random.below(6) {
            case 0:
                layer.remove(Document.self, id: id)
                documents.add(.init(kind: .remove) { _ in nil }, id, by: number)
            case 1:
                let value = document(id)
                layer.set(value)
                documents.add(
                    .init(kind: .set) { $0?.merged(with: value) ?? value },
                    id,
                    by: number
                )
            case 2, 3:
                let first = random.below(100)
                layer.update(Document.self, id: id) { $0.first = first }
                documents.add(
                    .init(kind: .update) { value in
                        var changed = value
                        changed?.first = first
                        return changed
                    },
                    id,
                    by: number
                )
            default: editList(number, layer)
            }
        }
    }

    private mutating func editList(_ number: Int, _ layer: CacheLayer) {
        let name = names[random.below(names.count)]
        let list = layer.list(name, of: Document.self)
        let (id, anchor) = (random.below(ids.count), random.below(ids.count))
        let kind = random.below(7)
        switch kind {
        case 0: list.append(id)
        case 1: list.prepend(id)
        case 2: list.insert(id, before: anchor)
        case 3: list.insert(id, after: anchor)
        case 4: list.move(id, before: anchor)
        case 5: list.move(id, after: anchor)
        default: list.remove(id)
        }
        lists.add(listOperation(kind, id, anchor), name, by: number)
    }

    private func listOperation(_ kind: Int, _ id: Int, _ anchor: Int) -> Lists.Operation {
        Lists.Operation(kind: .update) { list in
            var ids = list ?? []
            let isInserted = !ids.contains(id)
            switch kind {
            case 0: if isInserted { ids.append(id) }
            case 1: if isInserted { ids = [id] + ids }
            case 2: if isInserted { ids.insert(id, at: ids.firstIndex(of: anchor) ?? 0) }
            case 3:
                if isInserted {
                    let index = ids.firstIndex(of: anchor).map { $0 + 1 }
                    ids.insert(id, at: index ?? ids.count)
                }
            case 4, 5:
                if isInserted || id == anchor { break }
                ids.removeAll { $0 == id }
                let index = ids.firstIndex(of: anchor)
                ids.insert(
                    id,
                    at: kind == 4 ? index ?? 0 : index.map { $0 + 1 } ?? ids.count
                )
            default: ids.removeAll { $0 == id }
            }
            return list == nil && ids.isEmpty ? nil : ids
        } renamed: { old, new in
            listOperation(kind, id == old ? new : id, anchor == old ? new : anchor)
        }
    }
}
