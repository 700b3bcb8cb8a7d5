/// The calls of loads in whose closures the present task runs, the innermost last.
///
/// The closure of one call may load by another call.
enum EnclosingCalls {
    @TaskLocal static var present: [CacheCore.LoadCall] = []

    /// The present calls and another one, without the calls that have ended.
    ///
    /// A task that a closure starts may outlast its call, and start further calls.
    static func adding(_ call: CacheCore.LoadCall) -> [CacheCore.LoadCall] {
        present.filter { !$0.hasEnded } + [call]
    }

    /// Throws an error if the present task, by waiting for some keys, would wait for itself.
    ///
    /// A call that has ended, or that later callers don't join, isn't waited for.
    static func checkWait(
        for keys: @autoclosure () -> [CacheKey],
        in loads: SingleFlight<CacheKey, LoadAnswer>
    ) throws {
        let present = present
        if present.isEmpty { return }
        let keys = keys()
        for call in present where call.flight === loads {
            if let key = call.joinableKey(among: keys) { throw LoadError.cycle(key) }
        }
    }

    /// Calls a closure outside all calls.
    static func withoutCalls<Result>(_ body: () -> Result) -> Result {
        if present.isEmpty { return body() }
        return $present.withValue([], operation: body)
    }
}
