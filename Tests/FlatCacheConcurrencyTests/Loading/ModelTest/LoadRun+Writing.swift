import FlatCache

@testable import FlatCacheTestSupport

// Writes between the loads, alone and in batches.
extension LoadRun {
    /// Performs a write, or a batch of writes that may fail.
    func write() {
        guard random.oneIn(3) else { return write(to: cache) }
        let before = model
        note("batch {")
        do {
            try cache.performBatchUpdates { batch in
                for _ in 0..<random.below(4) {
                    write(to: batch)
                    if random.oneIn(4) { innerBatch() }
                }
                if random.oneIn(4) { throw Failure() }
            }
            note("}")
        } catch {
            note("} fails")
            model = before
        }
    }

    /// Performs a batch inside a batch, which can be rolled back alone.
    private func innerBatch() {
        let before = model
        note("inner batch {")
        do {
            try cache.performBatchUpdates { batch in
                for _ in 0..<random.below(3) { write(to: batch) }
                if random.oneIn(2) { throw Failure() }
            }
            note("}")
        } catch {
            note("} fails")
            model = before
        }
    }

    /// Returns the key of a write, which is often one that a running call concerns.
    private func keyToWrite(_ kind: Key.Kind) -> Key {
        let running = calls.calls.values.filter(\.isNeeded).flatMap { $0.keys + $0.extras }
        let keys = Set(running.filter { $0.kind == kind }).sorted { $0.id < $1.id }
        return keys.isEmpty || random.oneIn(3) ? anyKey(kind) : random.pick(keys)
    }

    private func write(to target: some CacheType) {
        if random.oneIn(2) {
            write(to: target, LoadRow.self, .row)
        } else {
            write(to: target, LoadNote.self, .note)
        }
    }

    private func write<Entity: LoadModelEntity>(
        to target: some CacheType,
        _ type: Entity.Type,
        _ kind: Key.Kind
    ) {
        let key = keyToWrite(kind)
        switch random.below(20) {
        case 0..<5:
            let fields = fields()
            note("set \(key) to \(fields)")
            target.set(Entity(id: key.id, fields: fields))
            model.set(fields, of: key)
        case 5, 6:
            let fields = fields()
            note("replace \(key) by \(fields)")
            target.replace(Entity(id: key.id, fields: fields))
            model.replace(fields, of: key)
        case 7, 8:
            note("set \(key) to an equal value")
            guard let value = target.get(type, id: key.id) else { return }
            target.set(value)
            model.set(value.fields, of: key)
        case 9, 10:
            let first = fields()[0]
            note("update the first field of \(key) to \(first ?? -1)")
            if let value = target.update(type, id: key.id, { $0.fields[0] = first }) {
                model.replace(value.fields, of: key)
            }
        case 11..<14:
            note("remove \(key)")
            target.remove(type, id: key.id)
            model.remove { $0 == key }
        case 14:
            note("remove all of \(kind)")
            target.removeAll(type)
            model.remove { $0.kind == kind }
        case 15..<18:
            note("invalidate \(key)")
            target.invalidate(type, id: key.id)
            model.invalidate { $0 == key }
        case 18: invalidateSeveral(in: target, type, kind)
        default: doRareWrite(to: target)
        }
    }

    private func invalidateSeveral<Entity: LoadModelEntity>(
        in target: some CacheType,
        _ type: Entity.Type,
        _ kind: Key.Kind
    ) {
        if random.oneIn(2) {
            note("invalidate all of \(kind)")
            target.invalidate(type)
            model.invalidate { $0.kind == kind }
        } else {
            note("invalidate the even ones of \(kind)")
            target.invalidate(type) { $0.id.isMultiple(of: 2) }
            let stored = Set(model.stored.keys)
            model.invalidate { key in
                stored.contains(key) && key.kind == kind && key.id.isMultiple(of: 2)
            }
        }
    }

    private func doRareWrite(to target: some CacheType) {
        let key = anyKey(.request)
        switch random.below(3) {
        case 0 where target is CacheBatch, 1 where target is CacheBatch: break
        case 0:
            note("invalidate \(key)")
            cache.invalidate(request: key.name)
            model.invalidate { $0 == key }
        case 1:
            note("invalidate all requests")
            cache.invalidate(requestsWithPrefix: "request ")
            let known = Set(model.stored.keys).union(calls.waiterCounts.keys)
            model.invalidate { $0.kind == .request && known.contains($0) }
            model.forgetFailures { $0.kind == .request }
        default:
            note("remove everything")
            target.removeAll()
            model.remove { _ in true }
        }
    }
}
