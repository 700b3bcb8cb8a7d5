import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

extension RequestModelRun {
    /// Waits for the effects of a step, and compares the cache with the model.
    func problem() async -> String? {
        guard await until(limit: modelStepTime, { progressProblem() == nil }) else {
            return progressProblem() ?? "too late"
        }
        await cache.waitForObservers()
        cache.core.loads.checkInvariants()
        cache.core.checkInvariants()
        return assignCalls() ?? recordPauses() ?? recordEvictions() ?? progressProblem()
            ?? contentProblem() ?? requestsProblem() ?? relationsProblem()
    }

    // MARK: Calls and progress

    /// A difference that the step's calls and loads may still remove, or `nil` if there is none.
    private func progressProblem() -> String? {
        let calls = server.requests
        if calls.count != model.calls.count {
            return "\(calls.count) calls were made instead of \(model.calls.count)"
        }
        let cancelledCount = model.calls.count(where: \.isCancelled)
        if server.cancellationCount != cancelledCount {
            return "\(server.cancellationCount) calls were cancelled instead of \(cancelledCount)"
        }
        let outcomes = outcomes.withLock(\.self)
        if outcomes != model.outcomes {
            let different = Set(outcomes.keys).union(model.outcomes.keys)
                .filter { outcomes[$0] != model.outcomes[$0] }
                .map { "\($0): \(outcomes[$0] as Any) instead of \(model.outcomes[$0] as Any)" }
            return "the loads end otherwise: \(different)"
        }
        if cache.leaseCount != model.running.count {
            return "\(cache.leaseCount) leases instead of \(model.running.count)"
        }
        for name in model.names {
            if let problem = progressProblem(of: name) { return problem }
        }
        for observation in observations {
            if let problem = eventProblem(of: observation) { return problem }
        }
        return nil
    }

    private func progressProblem(of name: String) -> String? {
        guard let handle = handles.first(where: { $0.name == name }) else { return nil }
        let count = cache.core.loads.waiterCount(for: CacheKey(RequestState.self, id: name))
        if count != model.waiterCount(of: name) {
            return "\(count) callers wait for \(name) instead of \(model.waiterCount(of: name))"
        }
        let (state, expected) = (handle.loadState, model.stateName(of: name))
        if state.name != expected { return "\(name) is \(state.name) instead of \(expected)" }
        if expected == "failed", case .failed(let call, _) = model.progress(of: name).phase,
            state.error as? RequestModelFailure != RequestModelFailure(call: call)
        {
            return "\(name) has the error \(state.error as Any) instead of that of call \(call)"
        }
        let states = progressObservations.filter { $0.name == name }.map(\.states.all)
        if states.contains(where: { $0.last != expected }) {
            return "the progress of \(name) was observed as \(states) instead of \(expected)"
        }
        return nil
    }

    private func eventProblem(of observation: Observation) -> String? {
        let expected = model.observers.first { $0.number == observation.number }?.events ?? []
        let events = observation.events.all
        if events == expected { return nil }
        return "observer \(observation.number) received \(events) instead of \(expected)"
    }

    /// Assigns the new calls at the server to those of the model.
    private func assignCalls() -> String? {
        let calls = server.requests
        let known = Set(model.calls.compactMap(\.number))
        for number in calls.indices where !known.contains(number) {
            let handle = calls[number].handle
            let name = handles[handle].name
            let call = model.calls.firstIndex { $0.name == name && $0.number == nil }
            guard let call else { return "call \(number) of \(name) isn't expected" }
            if model.calls[call].handle != handle {
                return "handle \(handle) loads \(name) instead of \(model.calls[call].handle)"
            }
            model.calls[call].number = number
            model.calls[call].lease = calls[number].lease
        }
        return nil
    }

    /// Adds the instants of the next attempts to the model.
    private func recordPauses() -> String? {
        for handle in handles {
            let progress = model.progress(of: handle.name)
            guard case .failed(let call, nil) = progress.phase,
                model.stateName(of: handle.name) == "failed"
            else { continue }
            guard let end = handle.loadState.nextAttempt else { return "no next attempt" }
            let pause = Duration.seconds(min(60, 1 << (progress.failures - 1)))
            let next = cache.now.duration(to: end)
            if next < pause || next > pause * 1.25 {
                return "the pause of \(handle.name) is \(next)"
            }
            model.progress[handle.name]?.phase = .failed(call: call, until: end)
        }
        return nil
    }

    // MARK: Content

    /// Adds the evictions of the step to the model.
    ///
    /// The model doesn't predict them.
    private func recordEvictions() -> String? {
        if bookLimit == nil, !hasTrimmed { return nil }
        let evicted = model.books.keys.filter { !cache.contains(Book.self, id: $0) }
        for id in evicted {
            guard model.mayEvict(id) else { return "book \(id) was evicted although it's in use" }
            counts.add("evicted")
            model.evict(id)
        }
        if !hasTrimmed, let bookLimit, !evicted.isEmpty, model.books.count < bookLimit {
            return "more books than necessary were evicted: \(evicted)"
        }
        if hasTrimmed {
            for name in model.names where cache.freshness(ofRequest: name).isMissing {
                if !model.isObserved(name) { model.stored[name] = nil }
            }
        }
        return nil
    }

    private func contentProblem() -> String? {
        for handle in handles {
            let name = handle.name
            let (page, expected) = (handle.value, model.stored[name]?.page)
            if page != expected {
                return "the response of \(name) is \(page as Any) instead of \(expected as Any)"
            }
            let freshness = handle.freshness
            if freshness.isMissing != (expected == nil) || freshness.isStale != model.isStale(name)
            {
                return "\(name) is \(freshness)"
            }
        }
        for id in Book.ids {
            let (title, expected) = (cache.get(Book.self, id: id)?.title, model.books[id])
            if title != expected {
                return "the title of \(id) is \(title as Any) instead of \(expected as Any)"
            }
        }
        let ids = cache.list("shelf", of: Book.self).ids
        if ids != model.list { return "the list is \(ids) instead of \(model.list)" }
        let target = cache.alias("current", of: Book.self).target
        if target != model.target {
            return "the target is \(target as Any) instead of \(model.target as Any)"
        }
        return nil
    }

    private func requestsProblem() -> String? {
        let requests = cache.requests
        let (names, expected) = (requests.map(\.name), model.listedNames.sorted())
        if names != expected { return "the requests are \(names) instead of \(expected)" }
        for request in requests {
            let name = request.name
            let age = model.stored[name].map { Duration.seconds(model.now - $0.arrival) }
            if request.age != age {
                return "the age of \(name) is \(request.age as Any) instead of \(age as Any)"
            }
            if request.isObserved != model.isObserved(name)
                || request.loadState.name != model.stateName(of: name)
                || request.freshness.isStale != model.isStale(name)
            {
                return "the status of \(name) is \(request)"
            }
        }
        return nil
    }

    /// Compares the entities that the cache knows of the stored responses.
    private func relationsProblem() -> String? {
        let responses = cache.core.withWriterLock("a test") { $0.responses }
        if model.stored.values.allSatisfy(\.related.isEmpty), !responses.isEmpty {
            return "there are relations without responses: \(responses)"
        }
        for id in Book.ids {
            let names = responses.names(containing: CacheKey(Book.self, id: id))
            let expected = Set(model.stored.filter { $0.value.related.contains(id) }.keys)
            if names != expected { return "\(names) contain \(id) instead of \(expected)" }
        }
        return nil
    }
}
