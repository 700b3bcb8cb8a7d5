#if os(Linux)
public import Dispatch
public import FlatCache

extension Cache {
    /// Trims the cache while the kernel measures that work waits for memory.
    ///
    /// ```swift
    /// import FlatCache
    /// import FlatCacheDispatch
    ///
    /// let cache = Cache()
    /// let trimming = try cache.trimOnMemoryPressure(warning: .fraction(0.25), every: .seconds(10))
    /// ```
    ///
    /// The measure is the pressure stall information in `/proc/pressure/memory`: the percentage of
    /// the last ten seconds in which tasks stood still because they lacked memory. It is that of
    /// the whole machine, also inside a container.
    ///
    /// The cache is trimmed at the first look that finds a threshold reached, and again at each
    /// later one before which tasks have gone on standing still: an average that merely takes its
    /// time to sink trims nothing. A fraction is one of what is there at that look. A look that
    /// can't read the file does nothing.
    ///
    /// What is observed, reached by an observation, or pinned stays, as `trim(to:)` says.
    ///
    /// ## Concurrency
    /// The file is read, and the cache trimmed, on the queue, which waits for other writers;
    /// observers hear of it there unless the cache has a `CacheDelivery` of its own. One look ends
    /// before the next begins, and the first comes at once. When `dispose()` has returned, no
    /// look begins any more; one that has begun goes on to its end, and may trim. The looking ends by itself at the
    /// first look after the cache has gone.
    ///
    /// - Parameters:
    ///   - warning: What is left of what is there when the threshold for a warning has been
    ///     reached.
    ///   - critical: What is left when the critical threshold has been reached.
    ///   - thresholds: From which pressure on memory counts as short.
    ///   - interval: The time from one look to the next, more than zero and to the millisecond; a
    ///     look may be late by a tenth of it, to save energy. The kernel measures every two
    ///     seconds, so more often is of no use.
    ///   - queue: The queue on which the cache is trimmed.
    /// - Returns: A token that ends this when it is disposed of or deallocated. It does not keep
    ///   the cache alive.
    /// - Throws: If the file can't be read or understood now, as under a kernel that does not
    ///   measure this.
    public func trimOnMemoryPressure(
        warning: TrimTarget = .fraction(0.5),
        critical: TrimTarget = .fraction(0),
        thresholds: MemoryPressureThresholds = MemoryPressureThresholds(),
        every interval: Duration = .seconds(5),
        queue: DispatchQueue = .global(qos: .utility)
    ) throws(MemoryPressureError) -> Disposable {
        try trimOnMemoryPressure(
            warning: warning,
            critical: critical,
            thresholds: thresholds,
            every: interval,
            queue: queue,
            measure: MemoryStallFile(path: "/proc/pressure/memory").stalls
        )
    }

    /// Trims the cache while something measures that work waits for memory.
    ///
    /// - Parameter measure: Called once on this thread, then on the queue, one call at a time.
    func trimOnMemoryPressure(
        warning: TrimTarget = .fraction(0.5),
        critical: TrimTarget = .fraction(0),
        thresholds: MemoryPressureThresholds = MemoryPressureThresholds(),
        every interval: Duration,
        queue: DispatchQueue,
        measure: @escaping @Sendable () throws(MemoryPressureError) -> MemoryStalls
    ) throws(MemoryPressureError) -> Disposable {
        precondition(
            interval > .zero,
            "Memory pressure cannot be looked at every \(interval): give more than zero."
        )
        thresholds.check()
        _ = try measure()
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let watch = MemoryPressureWatch(self, source: timer, warning: warning, critical: critical)
        let milliseconds = Int(max(1, min(interval / .milliseconds(1), Double(Int32.max))))
        timer.schedule(
            deadline: .now(),
            repeating: .milliseconds(milliseconds),
            leeway: .milliseconds(milliseconds / 10)
        )
        let history = Guarded(MemoryStallHistory())
        return watch.start {
            guard let stalls = try? measure() else { return nil }
            return history.withLock { $0.newLevel(after: stalls, thresholds) }
        }
    }
}
#endif
