#if canImport(Darwin)
public import Dispatch
public import FlatCache

extension Cache {
    /// Trims the cache whenever the system says that memory has become short.
    ///
    /// What is observed, reached by an observation, or pinned stays, as `trim(to:)` says.
    ///
    /// ## Concurrency
    /// The cache is trimmed on the queue, which waits for other writers; observers hear of it there
    /// unless the cache has a `CacheDelivery` of its own. One trim ends before the next begins. When
    /// `dispose()` has returned, nothing is begun any more; what has begun goes on to its end.
    ///
    /// - Parameters:
    ///   - warning: What is left of what is there when the system warns.
    ///   - critical: What is left when memory is critically short.
    ///   - queue: The queue on which the cache is trimmed.
    /// - Returns: A token that ends this when it is disposed of or deallocated. It does not keep
    ///   the cache alive.
    /// - Throws: Nothing here; where memory pressure is measured by a file, that may be missing.
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
