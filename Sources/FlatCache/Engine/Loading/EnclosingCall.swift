/// A call of a load in whose closure the present task runs.
///
/// The calls form a chain: the closure of one call may load by another call.
final class EnclosingCall: Sendable {
    @TaskLocal static var innermost: EnclosingCall?

    private let call: CacheCore.LoadCall
    private let outer: EnclosingCall?

    init(_ call: CacheCore.LoadCall) {
        self.call = call
        outer = Self.innermost
    }

    /// Throws an error if the present task, by waiting for some keys, would wait for itself.
    ///
    /// A call that has ended, or that later callers don't join, isn't waited for.
    static func checkWait(
        for keys: @autoclosure () -> [CacheKey],
        in loads: SingleFlight<CacheKey, LoadAnswer>
    ) throws {
        guard let innermost else { return }
        let keys = keys()
        var next: EnclosingCall? = innermost
        while let enclosing = next {
            if enclosing.call.flight === loads {
                let joinableKeys = enclosing.call.joinableKeys
                if let key = keys.first(where: joinableKeys.contains) {
                    throw LoadError.cycle(key)
                }
            }
            next = enclosing.outer
        }
    }
}
