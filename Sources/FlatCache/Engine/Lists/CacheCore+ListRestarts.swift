// A restart belongs to a commit, even to one that changes nothing. It counts under the writers'
// lock, under which pages are merged, so that no page is merged between a commit and its restart.
extension CacheCore {
    /// The keys of the lists that calls are loading.
    var loadingLists: Set<CacheKey> { listRestarts.withLock(\.lists) }

    /// Returns the number of the latest restart of a list.
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
