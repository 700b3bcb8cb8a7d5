import Testing
@testable import FlatCache
@testable import FlatCacheTestSupport

extension LoadRun {
    /// Waits for the effects of a step, and compares the cache with the model.
    func problem() async -> String? {
        guard await isSettled() else {
            return """
                The step doesn't end: \(server.requestCount) requests instead of \
                \(calls.callCount), \(outcomes.withLock(\.count)) ended loads instead of \
                \(calls.outcomes.count), \(cache.leaseCount) leases instead of \
                \(calls.neededCount), \(waitingProblem()), \
                \(failureProblem() ?? "no other failures")
                """
        }
        cache.core.loads.checkInvariants()
        cache.core.checkInvariants()
        return requestProblem() ?? outcomeProblem() ?? valueProblem()
    }

    private func isSettled() async -> Bool {
        let waiterCounts = calls.waiterCounts
        let keys = Dictionary(
            uniqueKeysWithValues: waiterCounts.map { ($0.key.cacheKey, $0.value) }
        )
        let condition = { [self] in
            server.requestCount >= calls.callCount
                && outcomes.withLock(\.count) >= calls.outcomes.count
                && cache.leaseCount == calls.neededCount
                && Set(cache.core.loads.keys) == Set(keys.keys)
                && keys.allSatisfy { cache.core.loads.waiterCount(for: $0.key) == $0.value }
                && failureProblem() == nil
        }
        return await until(limit: modelStepTime, condition)
    }

    /// Returns the keys for which other numbers of loads wait than in the model.
    func waitingProblem() -> String {
        let counts = calls.waiterCounts
        let joinable = Set(cache.core.loads.keys)
        let different = Key.all.compactMap { key -> String? in
            let found =
                joinable.contains(key.cacheKey)
                ? cache.core.loads.waiterCount(for: key.cacheKey) : nil
            if found == counts[key] { return nil }
            let names = [found, counts[key]].map { $0.map { "\($0) waiting" } ?? "no call" }
            return "\(key) (\(names[0]) instead of \(names[1]))"
        }
        return "different keys: \(different)"
    }

    /// Returns a key whose remembered failure differs from the model, or `nil` if there is none.
    private func failureProblem() -> String? {
        for key in Key.all {
            let found = cache.core.loadFailure(of: key.cacheKey).map { $0.error != nil }
            let expected = model.failure(of: key)?.isError
            if found != expected {
                let names = [found, expected].map { $0.map { $0 ? "error" : "absence" } ?? "none" }
                return "the failure of \(key) is \(names[0]) instead of \(names[1])"
            }
        }
        return nil
    }

    /// Assigns the new requests to the calls of the model.
    private func requestProblem() -> String? {
        let requests = server.requests
        guard requests.count == calls.callCount else {
            return "\(requests.count) requests instead of \(calls.callCount)"
        }
        var new = Array(callNumbers.count..<requests.count).map { $0 + 1 }
        while callNumbers.count < requests.count {
            let keys = requests[callNumbers.count].keys
            let position = new.firstIndex { Set(calls.calls[$0]?.keys ?? []) == keys }
            guard let position else { return "an unexpected request for \(keys)" }
            callNumbers.append(new.remove(at: position))
        }
        return nil
    }

    private func outcomeProblem() -> String? {
        let found = outcomes.withLock { $0 }
        for (number, expected) in calls.outcomes where found[number] != expected {
            return """
                load \(number) has the outcome \(found[number].map { "\($0)" } ?? "none") instead \
                of \(expected)
                """
        }
        return found.count == calls.outcomes.count ? nil : "unexpected outcomes \(found)"
    }

    private func valueProblem() -> String? {
        for key in Key.all {
            let expected = model.stored[key]?.fields
            let (fields, freshness) = state(of: key)
            if fields != expected {
                return """
                    \(key) has \(fields.map { "\($0)" } ?? "no value") instead of \
                    \(expected.map { "\($0)" } ?? "none")
                    """
            }
            if freshness.isFresh != model.isFresh(key) || freshness.isStale != model.isStale(key) {
                return "\(key) is \(freshness), but in the model fresh: \(model.isFresh(key))"
            }
            if key.kind == .row, freshness.isFresh, let fields, LoadModel.isWhole(fields) {
                let isStale = isWholeValueStale(key)
                if isStale == model.isWholeFresh(key) {
                    return "the whole value of \(key) is \(isStale ? "stale" : "fresh")"
                }
                if isStale { count("whole stale") }
            }
            count(freshness.isFresh ? "fresh" : freshness.isStale ? "stale" : "missing")
        }
        return nil
    }

    private func isWholeValueStale(_ key: Key) -> Bool {
        cache.core.tables.table(of: LoadRow.self)
            .isWholeValueStale(of: key.id) { cache.core.policies.timeline.now }
    }

    private func state(of key: Key) -> (fields: [Int?]?, freshness: Freshness) {
        switch key.kind {
        case .row:
            (
                cache.get(LoadRow.self, id: key.id)?.fields,
                cache.freshness(of: LoadRow.self, id: key.id)
            )
        case .note:
            (
                cache.get(LoadNote.self, id: key.id)?.fields,
                cache.freshness(of: LoadNote.self, id: key.id)
            )
        case .request:
            (
                cache.get(RequestState.self, id: key.name)?.response(as: [Int?].self),
                cache.freshness(ofRequest: key.name)
            )
        }
    }
}
