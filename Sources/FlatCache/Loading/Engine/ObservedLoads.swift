import Synchronization

/// The loading handles of a cache that are observed, by the keys of their entities.
struct ObservedLoads {
    private var loads: [CacheKey: [ObjectIdentifier: any ObservedLoad]] = [:]
    /// The loadings that all observations of a request share, by the names of the requests.
    private(set) var requests: [String: HandleLoading<RequestState>] = [:]
    /// The names of the requests that are being made, by the numbers of their calls.
    private var calls: [UInt64: String] = [:]
    /// The number of running calls of each request that is being made.
    private var callCounts: [String: Int] = [:]

    var isEmpty: Bool { loads.isEmpty && requests.isEmpty }

    mutating func insert(_ load: any ObservedLoad, of key: CacheKey) {
        if let request = load as? HandleLoading<RequestState> { return insert(request) }
        loads[key, default: [:]][ObjectIdentifier(load)] = load
    }

    mutating func insert(_ request: HandleLoading<RequestState>) { requests[request.id] = request }

    mutating func remove(_ load: any ObservedLoad, of key: CacheKey) {
        if let request = load as? HandleLoading<RequestState> {
            // Another one may have been listed since this one was removed.
            if requests[request.id] === request { requests[request.id] = nil }
            return
        }
        loads[key]?[ObjectIdentifier(load)] = nil
        if loads[key]?.isEmpty ?? false { loads[key] = nil }
    }

    /// Records that a call for a request has begun; returns the loading of the request.
    mutating func beginCall(_ number: UInt64, of name: String) -> HandleLoading<RequestState>? {
        calls[number] = name
        callCounts[name, default: 0] += 1
        return requests[name]
    }

    /// Records that a call has ended or is no longer needed; returns the loading of its request.
    mutating func endCall(_ number: UInt64) -> HandleLoading<RequestState>? {
        guard let name = calls.removeValue(forKey: number) else { return nil }
        let rest = callCount(ofRequest: name) - 1
        callCounts[name] = rest > 0 ? rest : nil
        return requests[name]
    }

    func callCount(ofRequest name: String) -> Int { callCounts[name] ?? 0 }

    func loads(in scope: Withdrawal.Scope) -> [any ObservedLoad] {
        if case .entity(let key) = scope {
            let request = key.id(as: RequestState.self).flatMap { requests[$0] }
            return loads[key].map { Array($0.values) } ?? request.map { [$0] } ?? []
        }
        return loads.filter { scope.contains($0.key) }.flatMap(\.value.values)
            + requests.values.filter { scope.contains($0.key) }
    }
}

/// A loading handle.
///
/// The cache notifies it of the writes that an observation of its entity doesn't report.
protocol ObservedLoad: AnyObject, Sendable {
    /// Records that the entity was removed or invalidated, whether or not it had a value.
    func record(_ withdrawal: Withdrawal)

    func recordNewLoader()

    /// Begins the load that was put off by a pause of all loads.
    func resume()

    /// Records that the entity's latest whole value has become stale.
    func recordStaleWholeValue()

    /// Ends the handle's load and observations after the cache was deallocated.
    func close()
}

// The loading handles that are observed.
extension CacheCore {
    /// Adds a loading handle that has begun to count an observation.
    func insert(_ load: some ObservedLoad, of key: CacheKey) {
        observedLoads.withLock { $0.insert(load, of: key) }
        noteInsertion(of: load)
    }

    /// Prepares the cache for the end of a loading handle that was added.
    func noteInsertion(of load: some ObservedLoad) {
        watchLoads()
        if isClosed { load.close() }
    }

    /// Removes a loading handle if a condition holds.
    ///
    /// - Parameter condition: A closure that is called under the lock of `observedLoads`.
    func remove(_ load: some ObservedLoad, of key: CacheKey, if condition: () -> Bool) {
        observedLoads.withLock { if condition() { $0.remove(load, of: key) } }
    }

    /// Records that removals and invalidations must look for remembered failures and for loading
    /// handles from now on.
    func watchLoads() { watchesLoads.store(true, ordering: .sequentiallyConsistent) }

    @usableFromInline var mayRememberFailures: Bool { watchesLoads.load(ordering: .acquiring) }

    /// `true` if a removal or an invalidation may concern loads or recorders.
    @usableFromInline var mustRecordWithdrawals: Bool {
        writer.hasLeases || writer.reportsWithdrawals || watchesLoads.load(ordering: .relaxed)
    }

    /// Makes the calls of the delivery queue, at once or after the write that the thread is in.
    func deliver(through ticket: DeliveryTicket?) {
        guard let ticket else { return }
        if writerLock.isHeldByCurrentThread {
            writer.mustDeliver(through: ticket)
        } else {
            deliveryQueue.deliver(through: ticket)
        }
    }
}
