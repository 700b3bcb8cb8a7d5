/// The calls of loads whose closures the present task is inside, the innermost last.
///
/// The closure of one call may load other entities by another call.
enum EnclosingCalls {
    @TaskLocal static var present: [CacheCore.LoadCall] = []

    /// Returns the present calls and another one, without the calls that have ended.
    ///
    /// A task that a closure starts may outlast its call, and start further calls.
    static func adding(_ call: CacheCore.LoadCall) -> [CacheCore.LoadCall] {
        present.filter { !$0.hasEnded } + [call]
    }

    /// Throws an error if the present task, by waiting for some keys, would wait for itself.
    ///
    /// The task doesn't wait for a call that has ended, or that later callers don't join.
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
