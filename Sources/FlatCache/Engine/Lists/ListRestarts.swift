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
