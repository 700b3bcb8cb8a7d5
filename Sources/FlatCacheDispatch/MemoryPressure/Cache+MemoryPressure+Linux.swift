#if os(Linux)
public import Dispatch
public import FlatCache

extension Cache {
    /// Trims the cache while the kernel reports that tasks are stalled for lack of memory.
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
    /// the last ten seconds in which tasks were stalled for lack of memory. It covers the whole
    /// machine, even inside a container.
    ///
    /// The pressure is checked at an interval. A check trims the cache if it finds a threshold
    /// reached that the previous check didn't find reached, or if tasks were stalled since the
    /// previous check. An average that is merely declining doesn't trim the cache. A fraction
    /// refers to the values at the time of the check. A check that can't read the file does
    /// nothing.
    ///
    /// As with `trim(to:)`, the cache keeps values that are observed, reached by an observation, or
    /// pinned.
    ///
    /// ## Concurrency
    /// The file is read and the cache is trimmed on the queue, where trimming waits for other
    /// writers. Observers are called there as well, unless the cache has its own `CacheDelivery`.
    /// One check ends before the next begins, and the first begins at once. After `dispose()` has
    /// returned, no check begins; one that has already begun runs to its end and may trim the
    /// cache. The checks end by themselves at the first one after the deallocation of the cache.
    ///
    /// - Parameters:
    ///   - warning: The target for trimming when the threshold for a warning is reached.
    ///   - critical: The target for trimming when the critical threshold is reached.
    ///   - thresholds: The memory pressure at which the cache is trimmed.
    ///   - interval: The time between two checks, greater than zero, with a resolution of a
    ///     millisecond. To save energy, a check may be late by a tenth of the interval. Since the
    ///     kernel measures every two seconds, a shorter interval has no benefit.
    ///   - queue: The queue on which the cache is trimmed.
    /// - Returns: A token that ends the trimming when it's disposed of or deallocated. It doesn't
    ///   keep the cache alive.
    /// - Throws: A ``MemoryPressureError`` if the file can't be read or understood at the time of
    ///   the call, for example under a kernel that doesn't measure memory pressure.
    public func trimOnMemoryPressure(
        warning: TrimTarget = .fraction(0.5),
        critical: TrimTarget = .fraction(0),
        thresholds: MemoryPressureThresholds = MemoryPressureThresholds(),
        every interval: Duration = .seconds(5),
        queue: DispatchQueue = .global(qos: .utility)
    ) throws(MemoryPressureError) -> Disposable {
        precondition(
            interval > .zero,
            "Memory pressure cannot be checked every \(interval): use more than zero."
        )
        return try trimOnMemoryPressure(
            warning: warning,
            critical: critical,
            thresholds: thresholds,
            measure: MemoryStallFile(path: "/proc/pressure/memory").stalls,
            makeSource: { Self.makeTimer(every: interval, queue: queue) }
        )
    }

    /// Trims the cache while a measurement reports that tasks are stalled for lack of memory.
    ///
    /// - Parameters:
    ///   - measure: A closure that is called once on this thread and then on the queue of the
    ///     source, one call at a time.
    ///   - makeSource: A closure that returns an inactive source. Each event of the source causes a
    ///     check.
    func trimOnMemoryPressure(
        warning: TrimTarget = .fraction(0.5),
        critical: TrimTarget = .fraction(0),
        thresholds: MemoryPressureThresholds = MemoryPressureThresholds(),
        measure: @escaping @Sendable () throws(MemoryPressureError) -> MemoryStalls,
        makeSource: () -> any DispatchSourceProtocol
    ) throws(MemoryPressureError) -> Disposable {
        thresholds.check()
        _ = try measure()
        let watch = MemoryPressureWatch(
            self,
            source: makeSource(),
            warning: warning,
            critical: critical
        )
        let history = Locked(MemoryStallHistory())
        return watch.start {
            guard let stalls = try? measure() else { return nil }
            return history.withLock { $0.newLevel(after: stalls, thresholds) }
        }
    }

    private static func makeTimer(
        every interval: Duration,
        queue: DispatchQueue
    ) -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let milliseconds = Self.milliseconds(of: interval)
        timer.schedule(
            deadline: .now(),
            repeating: .milliseconds(milliseconds),
            leeway: .milliseconds(milliseconds / 10)
        )
        return timer
    }

    /// Returns the number of milliseconds between two checks, at least one.
    static func milliseconds(of interval: Duration) -> Int {
        Int(max(1, min(interval / .milliseconds(1), Double(Int32.max))))
    }
}
#endif
