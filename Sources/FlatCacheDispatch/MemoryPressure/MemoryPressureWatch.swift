import Dispatch
import FlatCache

/// A watch that trims a cache when a dispatch source reports that memory is short.
///
/// It doesn't keep the cache alive. The token that ``start(_:)`` returns holds the watch, and the
/// watch holds the source. The source's handler refers to the watch weakly.
final class MemoryPressureWatch: @unchecked Sendable {
    // Thread-safe, although not declared as `Sendable` on every platform: Dispatch objects may be
    // used on any thread.
    private let source: any DispatchSourceProtocol
    // Set once, before another thread uses the watch. Reading a weak reference is thread-safe.
    private weak var cache: Cache?
    private let warning: TrimTarget
    private let critical: TrimTarget

    /// Creates a watch that trims a cache.
    ///
    /// - Parameters:
    ///   - cache: The cache.
    ///   - source: An inactive source without a handler.
    ///   - warning: The target for trimming when memory is short.
    ///   - critical: The target for trimming when memory is critically short.
    init(
        _ cache: Cache,
        source: any DispatchSourceProtocol,
        warning: TrimTarget,
        critical: TrimTarget
    ) {
        warning.check()
        critical.check()
        self.source = source
        self.cache = cache
        self.warning = warning
        self.critical = critical
    }

    /// Begins to trim the cache.
    ///
    /// - Parameter look: A closure that each event of the source calls, one call at a time. It
    ///   returns the level at which to trim the cache, or `nil` to do nothing.
    /// - Returns: A token that cancels the source.
    func start(_ look: @escaping () -> MemoryPressureLevel?) -> Disposable {
        source.setEventHandler { [weak self] in
            self?.respond(to: look())
        }
        source.activate()
        return Disposable(stopping: { self.source.cancel() }) {}
    }

    private func respond(to level: MemoryPressureLevel?) {
        guard let cache else { return source.cancel() }
        // Checked last, since the token may have been disposed of while the pressure was measured.
        guard let level, !source.isCancelled else { return }
        cache.trim(to: level.target(warning: warning, critical: critical))
    }
}
