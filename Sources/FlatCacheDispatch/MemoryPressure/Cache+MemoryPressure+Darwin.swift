#if canImport(Darwin)
public import Dispatch
public import FlatCache

extension Cache {
    /// Trims the cache whenever the system reports that memory is short.
    ///
    /// ```swift
    /// import FlatCache
    /// import FlatCacheDispatch
    ///
    /// let cache = Cache()
    /// let trimming = try cache.trimOnMemoryPressure(warning: .fraction(0.25))
    /// ```
    ///
    /// As with `trim(to:)`, the cache keeps values that are observed, reached by an observation, or
    /// pinned.
    ///
    /// ## Concurrency
    /// The cache is trimmed on the queue, where trimming waits for other writers. Observers are
    /// called there as well, unless the cache has its own `CacheDelivery`. One trim ends before the
    /// next begins. After `dispose()` has returned, no trim begins; one that has already begun runs
    /// to its end.
    ///
    /// - Parameters:
    ///   - warning: The target for trimming when the system warns.
    ///   - critical: The target for trimming when memory is critically short.
    ///   - queue: The queue on which the cache is trimmed.
    /// - Returns: A token that ends the trimming when it's disposed of or deallocated. It doesn't
    ///   keep the cache alive.
    /// - Throws: No error on this platform. On Linux, where a file reports the memory pressure, the
    ///   method throws if it can't read that file.
    public func trimOnMemoryPressure(
        warning: TrimTarget = .fraction(0.5),
        critical: TrimTarget = .fraction(0),
        queue: DispatchQueue = .global(qos: .utility)
    ) throws -> Disposable {
        let source = DispatchSource.makeMemoryPressureSource(
            eventMask: [.warning, .critical],
            queue: queue
        )
        let watch = MemoryPressureWatch(
            self,
            source: source,
            warning: warning,
            critical: critical
        )
        return watch.start { [weak source] in
            guard let event = source?.data else { return nil }
            return MemoryPressureLevel(
                isWarning: event.contains(.warning),
                isCritical: event.contains(.critical)
            )
        }
    }
}
#endif
