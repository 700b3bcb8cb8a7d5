import FlatCacheTesting

@testable import FlatCache
@testable import FlatCacheTestSupport

// The ends of calls.
extension RequestModel {
    mutating func answer(_ index: Int, _ answer: RequestModelAnswer) {
        let call = calls[index]
        let isKept = !call.outdated.contains(.response(call.name))
        // The call fails with the error of `apply`.
        if isKept, answer.page.isRefused {
            counts.add("refused")
            return fail(index)
        }
        close(index)
        let before = self
        for book in answer.books {
            write(.book(book.id), by: index) { $0.books[book.id] = book.title }
        }
        if isKept { keep(answer, of: index) }
        counts.add(isKept ? "kept" : "outdated")
        notify(since: before, written: isKept ? [call.name] : [])
        for load in call.loads { outcomes[load] = .page(answer.page) }
        if isWaiting(call.name, for: index) { endLoad(call.name, isKept: isKept) }
    }

    private mutating func keep(_ answer: RequestModelAnswer, of index: Int) {
        let (name, page) = (calls[index].name, answer.page)
        let staleFrom: Int? =
            switch handles[calls[index].handle].lifetime {
            case .none: now
            case .short: now + 10
            case .never: nil
            case .own: page.expires.map { Int($0.offset / .seconds(1)) }
            }
        let (now, step) = (now, step)
        write(.response(name), by: index) {
            $0.stored[name] = Stored(
                page: page,
                related: Set(page.books + answer.books.map(\.id)),
                arrival: now,
                staleFrom: staleFrom,
                wasStoredStale: staleFrom.map { $0 <= now } ?? false,
                step: step
            )
        }
        recordStored(name)
        if let list = page.list { write(.list, by: index) { $0.list = list } }
        if let target = page.target { write(.target, by: index) { $0.target = target.id } }
        if let book = page.added {
            write(.book(book.id), by: index) { $0.books[book.id] = book.title }
        }
        if let id = page.removed { write(.book(id), by: index) { $0.books[id] = nil } }
    }

    /// Writes as an answer does: others' writes since the call began are kept, and the write is as
    /// old as the call.
    private mutating func write(
        _ key: Key,
        by index: Int,
        _ change: (inout RequestModel) -> Void
    ) {
        if calls[index].outdated.contains(key) {
            counts.add("late")
            return
        }
        change(&self)
        for call in running where (calls[call].lease ?? .max) < (calls[index].lease ?? .max) {
            calls[call].outdated.insert(key)
        }
    }

    private mutating func recordStored(_ name: String) {
        guard isObserved(name) else { return }
        change(name) { $0.becameStale = false }
        if progress(of: name).isPausing { stop(name) }
    }

    private mutating func endLoad(_ name: String, isKept: Bool) {
        change(name) {
            $0.phase = .idle
            $0.failures = 0
        }
        let progress = progress(of: name)
        let isNew = stored[name].map { $0.step > progress.loadStep } ?? false
        let isOutdated =
            progress.wasInvalidated || (!progress.isRepetition && !isKept)
            || (progress.becameStale && isNew)
        guard isOutdated, needsLoad(name) else { return }
        counts.add("repeated")
        load(name, repeating: true)
    }

    mutating func fail(_ index: Int) {
        close(index)
        let (name, loads) = (calls[index].name, calls[index].loads)
        for load in loads { outcomes[load] = .failed(call: index) }
        guard isWaiting(name, for: index) else { return }
        guard needsLoad(name) else { return stop(name) }
        change(name) {
            $0.phase = .failed(call: index, until: nil)
            $0.failures += 1
        }
    }
}
