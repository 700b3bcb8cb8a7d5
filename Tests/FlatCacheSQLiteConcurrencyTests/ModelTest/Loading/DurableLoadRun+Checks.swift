import FlatCacheTesting
import Testing

@testable import FlatCache
@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

extension DurableLoadRun {
    /// Waits for the calls of a step, and compares the cache with the model.
    ///
    /// - Parameter isLoading: A closure that returns whether an observed load is running.
    func problem(after isLoading: () -> Bool = { false }) async -> String? {
        let loads = cache.core.loads
        let sourceCalls = cache.core.sourceCalls
        let areOver = await until(limit: modelStepTime) {
            !isLoading() && loads.isIdle && sourceCalls.isIdle
        }
        if !areOver { return "calls are still running: \(loads.allKeys) \(sourceCalls.allKeys)" }
        return difference()
    }

    func problemAfterStep() async -> String? {
        if let problem = await problem() { return problem }
        cache.core.checkInvariants()
        // The response of another type is the only row that can't be decoded.
        let errors = folder?.errors.all.filter { $0.kind != .undecodable } ?? []
        return errors.first.map { "\($0)" }
    }

    private func difference() -> String? {
        if server.callCount != model.callCount {
            return "\(server.callCount) calls were made instead of \(model.callCount)"
        }
        for id in DurableLoadModel.ids {
            if let problem = entityDifference(id) { return problem }
        }
        return listDifference() ?? requestDifference()
    }

    private func entityDifference(_ id: Int) -> String? {
        var found: (value: Profile, ages: StoredFreshness)?
        cache.withSnapshot { snapshot in
            snapshot.forEachStored(ChunkedArray([id])) { found = ($0, $1) }
        }
        guard let expected = model.memory.entities[id], let found else {
            let isMissing = model.memory.entities[id] == nil
            if isMissing == (found == nil) { return nil }
            return "\(id) is \(found as Any), \(isMissing ? "" : "not ")missing in the model"
        }
        if found.value != expected.value { return "\(found.value) instead of \(expected.value)" }
        let isStale = cache.freshness(of: Profile.self, id: id).isStale
        if isStale != expected.isStale(at: model.now) { return "\(id): stale is \(isStale)" }
        if isStale { return nil }
        let age = found.ages.age.map { Int($0 / .seconds(1)) }
        if age != model.now - expected.stored { return "the age of \(id) is \(age as Any)" }
        if expected.value.email == nil { return nil }
        let wholeAge = found.ages.wholeAge ?? found.ages.age ?? .zero
        let whole =
            wholeAge == StoredFreshness.noWholeValue
            ? nil : model.now - Int(wholeAge / .seconds(1))
        if whole == expected.freshWhole(at: model.now) { return nil }
        return "\(id) was whole at \(whole as Any), not \(expected.whole as Any)"
    }

    private func listDifference() -> String? {
        let (list, expected) = (cache.list("feed", of: Profile.self), model.memory.list)
        if list.ids != expected?.ids ?? [] { return "the list is \(list.ids)" }
        let pageCount = cache.get(ListState<Profile>.self, id: "feed")?.pageCount
        let isComplete = list.next == .end
        if expected != nil, pageCount != max(1, expected?.pageCount ?? 0) {
            return "the list has \(pageCount as Any) pages"
        }
        return isComplete == expected?.isComplete ?? false ? nil : "next is \(list.next)"
    }

    private func requestDifference() -> String? {
        // A request without a response is listed while it's observed.
        let requests = cache.requests.filter { !$0.freshness.isMissing }
        let (names, expected) = (requests.map(\.name), model.memory.responses.keys.sorted())
        if names != expected { return "the responses are \(names) instead of \(expected)" }
        for request in requests {
            guard let response = model.memory.responses[request.name] else { continue }
            let age = request.age.map { Int($0 / .seconds(1)) }
            if age != model.now - response.arrival {
                return "the age of \(request.name) is \(age as Any), not that of \(response)"
            }
            if request.freshness.isStale != response.isStale(at: model.now) {
                return "\(request.name) is \(request.freshness) instead of \(response)"
            }
            if request.name == DurableLoadModel.listRequest { continue }
            let text = value(request.name)
            if text != response.text {
                return "\(request.name) is \(text ?? "-") instead of \(response.text)"
            }
        }
        return nil
    }
}
