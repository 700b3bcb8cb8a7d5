/// The latest restarts of the lists whose pages are being loaded.
///
/// A list restarts when it's replaced, emptied or removed. A page that was requested before a
/// restart doesn't belong to the list afterwards. The state of a list can't tell the two apart: the
/// restart of an empty list leaves the state as it was, and a removed list has none.
///
/// The numbers of restarts are kept only while calls load pages of the list, so that the lists
/// that an app has used take no memory here.
struct ListRestarts {
    private struct Loading {
        var callCount = 0
        var restart: UInt64 = 0
    }

    private var loading: [CacheKey: Loading] = [:]
    private var lastRestart: UInt64 = 0

    /// The keys of the lists that calls are loading.
    var lists: Set<CacheKey> { Set(loading.keys) }

    /// Returns the number of the latest restart of a list, or zero if the list hasn't restarted
    /// since the first of the present calls.
    func latest(of list: CacheKey) -> UInt64 { loading[list]?.restart ?? 0 }

    mutating func beginCall(for list: CacheKey) {
        loading[list, default: Loading()].callCount += 1
    }

    mutating func endCall(for list: CacheKey) {
        loading[list]?.callCount -= 1
        if loading[list]?.callCount == 0 { loading[list] = nil }
    }

    mutating func restart(_ list: CacheKey) {
        lastRestart += 1
        loading[list]?.restart = lastRestart
    }

    mutating func restartAll() {
        for list in loading.keys { restart(list) }
    }
}

// A restart belongs to a commit, even to one that changes nothing. It counts under the writers'
// lock, under which pages are merged, so that no page is merged between a commit and its restart.
extension CacheCore {
    var loadingLists: Set<CacheKey> { listRestarts.withLock(\.lists) }

    @usableFromInline
    func latestRestart(of list: CacheKey) -> UInt64 {
        listRestarts.withLock { $0.latest(of: list) }
    }

    /// Begins to count the restarts of a list, until as many calls have ended as have begun.
    @usableFromInline
    func beginLoading(_ list: CacheKey) { listRestarts.withLock { $0.beginCall(for: list) } }

    @usableFromInline
    func endLoading(_ list: CacheKey) { listRestarts.withLock { $0.endCall(for: list) } }

    /// Restarts a list when the open transaction ends, unless it's rolled back.
    @usableFromInline
    func restart(_ list: CacheKey) {
        writer.addEnding { [self] in listRestarts.withLock { $0.restart(list) } }
    }

    /// Restarts all lists when the open transaction ends, unless it's rolled back.
    func restartAllLists() {
        writer.addEnding { [self] in listRestarts.withLock { $0.restartAll() } }
    }
}
