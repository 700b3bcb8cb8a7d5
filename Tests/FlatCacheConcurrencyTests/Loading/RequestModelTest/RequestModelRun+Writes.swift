@testable import FlatCache
@testable import FlatCacheTestSupport

// Writes of others, removals, limits and time.
extension RequestModelRun {
    /// Performs a write, or a batch of writes that may fail.
    func write() {
        guard random.oneIn(3) else { return model.commit { write(to: cache, &$0) } }
        let before = model
        var isFailed = false
        note("batch {")
        model.commit { model in
            do {
                try cache.performBatchUpdates { batch in
                    for _ in 0..<random.number(in: 1...3) { write(to: batch, &model) }
                    isFailed = random.oneIn(5)
                    if isFailed { throw Failure() }
                    guard random.oneIn(3) else { return }
                    let name = random.pick(model.names)
                    note("invalidate \(name)")
                    cache.invalidate(request: name)
                    model.invalidate([name])
                }
            } catch {}
        }
        note(isFailed ? "} fails" : "}")
        if isFailed { model = before }
    }

    private func write(to target: some CacheType, _ model: inout RequestModel) {
        let list = target.list("shelf", of: Book.self)
        let id = anyBook()
        switch random.below(20) {
        case 0..<9:
            let title = random.below(3)
            note("set book \(id) to \(title)")
            target.set(Book(id: id, title: title))
            model.write(.book(id)) { $0.books[id] = title }
        case 9..<12:
            note("remove book \(id)")
            target.remove(Book.self, id: id)
            model.write(.book(id)) { $0.books[id] = nil }
        case 12:
            note("remove all books")
            target.removeAll(Book.self)
            model.removeAllBooks()
        case 13, 14:
            let ids = someBooks(3)
            note("replace the list by \(ids)")
            list.replace(withIDs: ids)
            model.write(.list) { $0.list = ids }
        case 15:
            note("append \(id) to the list")
            list.update { ids in ids = ids.filter { $0 != id } + [id] }
            // An edit without effect isn't a write.
            if model.list.last != id {
                model.write(.list) { $0.list = $0.list.filter { $0 != id } + [id] }
            }
        case 16:
            note("remove all from the list")
            list.removeAll()
            model.write(.list) { $0.list = [] }
        default:
            let target = target.alias("current", of: Book.self)
            let id = random.oneIn(3) ? nil : id
            note("set the alias to \(id ?? -1)")
            target.target = id
            model.write(.target) { $0.target = id }
        }
    }

    func invalidate() {
        let handle = random.pick(handles)
        switch random.below(3) {
        case 0:
            note("invalidate \(handle.name)")
            handle.invalidate()
            model.commit { $0.invalidate([handle.name]) }
        case 1:
            note("invalidate the request \(handle.name)")
            cache.invalidate(request: handle.name)
            model.commit { $0.invalidate([handle.name]) }
        default:
            let prefix = random.pick(["a", "b", ""])
            note("invalidate all with the prefix \"\(prefix)\"")
            cache.invalidate(requestsWithPrefix: prefix)
            model.commit { model in model.invalidate(model.names.filter { $0.hasPrefix(prefix) }) }
        }
    }

    func advance() {
        let seconds =
            random.oneIn(4)
            ? random.number(in: 290...320)
            : random.oneIn(3) ? random.number(in: 10...80) : random.number(in: 1...4)
        note("let \(seconds) s pass")
        clock.advance(by: .seconds(seconds))
        cache.expireValues()
        model.advance(by: seconds, to: cache.now)
    }

    func removeUnused() {
        switch random.below(3) {
        case 0:
            note("trim to nothing")
            cache.trim(to: .count(0))
            counts.add("evicted", model.books.keys.count(where: model.mayEvict))
            model.removeUnused(isPruned: false)
        case 1:
            let count = random.below(6)
            note("trim to \(count)")
            cache.trim(to: .count(count))
            hasTrimmed = true
        default:
            note("prune")
            cache.pruneUnobservedValues()
            model.removeUnused(isPruned: true)
        }
    }

    func removeAll() {
        note("remove everything")
        cache.removeAll()
        model.commit { $0.removeAll() }
    }
}
