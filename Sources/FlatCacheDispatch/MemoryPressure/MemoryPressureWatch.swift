import Dispatch
import FlatCache

/// Trims a cache, which it does not keep alive, when a dispatch source tells that memory is short.
///
/// The token that ``start(_:)`` returns holds it, and it holds the source, whose handler knows it
/// only weakly.
final class MemoryPressureWatch: @unchecked Sendable {
    // Safe by itself, though not on every platform declared so: Dispatch lets any thread use its
    // objects.
    private let source: any DispatchSourceProtocol
    // Set once, before another thread sees it; reading a weak reference is safe.
    private weak var cache: Cache?
    private let warning: TrimTarget
    private let critical: TrimTarget

    /// Creates what trims a cache.
    ///
    /// - Parameters:
    ///   - source: A source that has no handler yet and is not active.
    ///   - warning: What is left of the cache when memory is short.
    ///   - critical: What is left when it is very short.
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

    /// Begins to trim.
    ///
    /// - Parameter look: Called at each event of the source, one call at a time: says for which
    ///   level the cache is to be trimmed, if at all.
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
        // Asked last: the token may have been disposed of while the pressure was looked up.
        guard let level, !source.isCancelled else { return }
        cache.trim(to: level.target(warning: warning, critical: critical))
    }
}
