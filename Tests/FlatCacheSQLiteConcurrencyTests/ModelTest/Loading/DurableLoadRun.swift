import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// A run of the model test of durable loads: a cache, a file, a server and their model.
final class DurableLoadRun: RandomRun {
    let clock = ManualClock()
    let server = DurableLoadServer()
    var random: SplitMix64
    var model: DurableLoadModel
    var folder: GraphFolder?
    var cache = Cache()
    private var graph: SQLiteGraph?
    private var stepNumber = 0
    private(set) var operations: [String] = []
    var counts: EventCounts { model.counts }

    init(seed: Seed) {
        random = SplitMix64(seed: seed)
        model = DurableLoadModel(limit: random.oneIn(2) ? random.number(in: 2...3) : nil)
        if let limit = model.limit { note("\(limit) rows at most") }
    }

    func note(_ operation: String) { operations.append(operation) }

    func step() async -> String? {
        stepNumber += 1
        do {
            let problem = try await perform()
            // A response that is no longer unwritten may have expired.
            cache.expireValues()
            model.expire()
            if let problem { return problem }
            return await problemAfterStep()
        } catch {
            return "\(error)"
        }
    }

    func end() async -> String? {
        do {
            if let problem = try await relaunch() { return problem }
            if let problem = await problemAfterStep() { return problem }
            // Everything that the file has is restored.
            for name in DurableLoadModel.names {
                if let problem = await load(name, .restoreOnly) { return problem }
                if let problem = await problemAfterStep() { return problem }
            }
            try await graph?.detach()
            return nil
        } catch {
            return "\(error)"
        }
    }

    // MARK: Steps

    /// Performs a random operation.
    private func perform() async throws -> String? {
        if graph == nil { return try await launch() }
        server.prepare(randomAnswer())
        switch random.below(40) {
        case 0..<5: return await load(anyName(), .load)
        case 5..<7: return await load(anyName(), .restoreOnly)
        case 7..<9: return await load(anyName(), .reload)
        case 9..<12: invalidate()
        case 12..<16: advance()
        case 16..<20: write()
        case 20, 21: remove()
        case 22, 23: return trim()
        case 24, 25: return await loadProfile()
        case 26..<30: return await changeList()
        case 30, 31: return await observeRequest()
        case 32: return await observeList()
        case 33..<36: return try await flush()
        default: return try await relaunch()
        }
        return nil
    }

    private func anyName() -> String { random.pick(DurableLoadModel.names) }
    private func anyID() -> Int { random.below(DurableLoadModel.ids.count) }

    private func someIDs(_ count: Int) -> [Int] {
        let ids = Array(DurableLoadModel.ids).shuffled(using: &random)
        return Array(ids.prefix(random.below(count + 1)))
    }

    /// Returns a profile of a row, which lacks the e-mail address, or a whole one.
    private func profile(_ id: Int) -> Profile {
        let email = random.oneIn(3) ? "at \(stepNumber)" : nil
        return Profile(id: id, name: "\(stepNumber)", email: email)
    }

    private func randomAnswer() -> DurableLoadAnswer {
        let ids = someIDs(3)
        let bare = Set(ids.filter { _ in random.oneIn(5) })
        return DurableLoadAnswer(
            fails: random.oneIn(5),
            step: stepNumber,
            note: random.below(3),
            rows: ids.filter { !bare.contains($0) }.map(profile),
            bare: ids.filter(bare.contains),
            applied: random.oneIn(4) ? profile(anyID()) : nil,
            removed: random.oneIn(8) ? anyID() : nil,
            pages: (0...random.below(3)).map { _ in someIDs(2).map(profile) }
        )
    }

    private func handle(_ name: String) -> DurableLoadHandle {
        if model.pages.contains(name) {
            return DurableLoadHandle(name, of: DurableLoadPage.self, in: cache, server)
        }
        return DurableLoadHandle(name, of: [Related<Profile>].self, in: cache, server)
    }

    /// The response of a request in the cache.
    func value(_ name: String) -> String? { handle(name).value() }

    var list: LoadingList<Profile> {
        cache.list("feed", of: Profile.self)
            .loading(staleAfter: .seconds(DurableLoadModel.lifetime)) { [server] in
                try server.loadPage($0)
            }
    }

    // MARK: Loads

    private func load(_ name: String, _ kind: DurableLoadKind) async -> String? {
        let answer = server.answer
        note("\(kind) \(name): \(answer)")
        let needsCall = kind.makesCall ?? model.needsCall(name)
        model.load(name, kind, answer)
        let expected = needsCall && answer.fails ? nil : model.memory.responses[name]?.text
        do {
            let text = try await handle(name).load(kind)
            return text == expected ? nil : "\(text) instead of \(expected ?? "an error")"
        } catch {
            return expected == nil ? nil : "the load throws \(error)"
        }
    }

    private func loadProfile() async -> String? {
        let (id, answer) = (anyID(), server.answer)
        note("load profile \(id)\(answer.fails ? ", failing" : "")")
        model.load(id, answer)
        do {
            let profile = try await cache.load(Profile.self, id: id)
            let expected = model.memory.entities[id]?.value
            return profile == expected ? nil : "\(profile as Any) instead of \(expected as Any)"
        } catch {
            return answer.fails ? nil : "the load throws \(error)"
        }
    }

    private func observeRequest() async -> String? {
        let (name, answer) = (anyName(), server.answer)
        note("observe \(name): \(answer)")
        let handle = handle(name)
        if model.needsCall(name) { await restoreFirst(model.memory.responses[name]?.ids) }
        model.load(name, .load, answer)
        model.memory.responses[name]?.ids.forEach { model.restore($0) }
        let token = handle.observe()
        defer { token.dispose() }
        return await problem { handle.loadState().isLoading }
    }

    private func observeList() async -> String? {
        if model.restoresListAnyTime { return nil }
        let answer = server.answer
        note("observe the list: \(answer)")
        let list = list
        if model.needsCall(DurableLoadModel.listRequest) {
            await restoreFirst(model.memory.list?.ids)
        }
        model.reloadList(isReload: false, answer)
        model.memory.list?.ids.forEach { model.restore($0) }
        let token = list.observe { _ in }
        defer { token.dispose() }
        return await problem { list.loadState.isLoading }
    }

    /// Restores entities that an observation would otherwise restore before, during or after a
    /// call.
    private func restoreFirst(_ ids: [Int]?) async {
        guard let ids else { return }
        ids.forEach { model.restore($0) }
        _ = try? await graph?.load(Profile.self, ids: ids)
    }

    private func changeList() async -> String? {
        let (answer, choice) = (server.answer, random.below(5))
        do {
            switch choice {
            case 0, 1:
                note("reload the list: \(answer)")
                model.reloadList(answer)
                try await list.reload()
            case 2, 3:
                note("load the next page: \(answer)")
                model.loadNextPage(answer)
                try await list.loadNext()
            default: editList()
            }
            return nil
        } catch {
            return answer.fails ? nil : "the list throws \(error)"
        }
    }

    private func editList() {
        guard model.memory.list != nil else { return }
        let id = anyID()
        note("edit the list by \(id)")
        cache.list("feed", of: Profile.self).update { ids in
            if ids.contains(id) { ids.removeAll { $0 == id } } else { ids.append(id) }
        }
        if model.memory.list?.ids.contains(id) ?? false {
            model.memory.list?.ids.removeAll { $0 == id }
        } else {
            model.memory.list?.ids.append(id)
        }
        model.changes.changesList = true
    }

    // MARK: Writes

    private func write() {
        let profile = profile(anyID())
        let replaces = random.oneIn(4)
        note("\(replaces ? "replace" : "write") \(DurableLoadAnswer.text([profile]))")
        cache.performBatchUpdates { replaces ? $0.replace(profile) : $0.set(profile) }
        model.write(profile, replacing: replaces)
    }

    private func remove() {
        if random.oneIn(6) {
            note("remove everything")
            cache.removeAll()
            return model.removeAll()
        }
        let id = anyID()
        note("remove \(id)")
        cache.remove(Profile.self, id: id)
        model.remove(id)
    }

    private func invalidate() {
        let name = random.oneIn(4) ? DurableLoadModel.listRequest : anyName()
        switch random.below(5) {
        case 0, 1:
            let id = anyID()
            note("invalidate \(id)")
            cache.invalidate(Profile.self, id: id)
            model.invalidate(id)
        case 2:
            note("invalidate the requests a…")
            cache.invalidate(requestsWithPrefix: "a")
            model.invalidate(DurableLoadModel.names.filter { $0.hasPrefix("a") })
        default:
            note("invalidate \(name)")
            cache.invalidate(request: name)
            model.invalidate([name])
        }
    }

    private func advance() {
        let range = random.oneIn(5) ? 290...310 : random.oneIn(2) ? 1...9 : 10...65
        let seconds = random.number(in: range)
        note("let \(seconds) s pass")
        clock.advance(by: .seconds(seconds))
        model.now += seconds
    }

    /// Evicts what isn't in use, or some of it, as the cache chooses.
    private func trim() -> String? {
        let prunes = random.oneIn(3)
        let count = random.oneIn(2) ? 0 : random.below(6)
        note(prunes ? "prune" : "trim to \(count)")
        if prunes { cache.pruneUnobservedValues() } else { cache.trim(to: .count(count)) }
        if model.memory.list != nil, cache.get(ListState<Profile>.self, id: "feed") == nil {
            if !prunes || model.changes.changesList { return "the list was evicted" }
            model.evictList()
        }
        for id in model.memory.entities.keys.sorted() where !cache.contains(Profile.self, id: id) {
            if model.changes.entities.contains(id) { return "the unwritten \(id) was evicted" }
            if !prunes, model.memory.list?.ids.contains(id) ?? false {
                return "\(id) is in the list, and was evicted"
            }
            model.evict(id)
        }
        for name in model.memory.responses.keys where cache.freshness(ofRequest: name).isMissing {
            if model.changes.responses.contains(name) { return "the unwritten \(name) was evicted" }
            model.memory.responses[name] = nil
        }
        return nil
    }

    // MARK: The file

    private func flush() async throws -> String? {
        note("flush")
        try await graph?.flush()
        return try flushModel()
    }

    private func flushModel() throws -> String? {
        let rows = model.limit == nil ? [] : try folder?.run("SELECT id FROM profile")
        return model.flush(leaving: rows.map { Set($0.compactMap { Int($0) }) })
    }

    /// Ends the graph and the cache in one of three ways, and launches others on the file.
    private func relaunch() async throws -> String? {
        guard let graph, let former = folder else { return nil }
        switch random.below(3) {
        case 0:
            note("detach")
            try await graph.detach()
        case 1:
            note("release the cache")
            cache = Cache()
            guard await untilDetached(graph) else { return "the graph stays attached" }
        default:
            note("lose the changes since the last flush")
            let next = try GraphFolder()
            for suffix in ["", "-wal"] {
                let source = former.url.path + suffix
                guard FileManager.default.fileExists(atPath: source) else { continue }
                try FileManager.default.copyItem(atPath: source, toPath: next.url.path + suffix)
            }
            cache = Cache()
            guard await untilDetached(graph) else { return "the graph stays attached" }
            folder = next
            return try await launch()
        }
        if let problem = try flushModel() { return problem }
        return try await launch()
    }

    private func launch() async throws -> String? {
        var pages = model.pages
        for name in DurableLoadModel.names where random.oneIn(5) {
            pages.formSymmetricDifference([name])
        }
        let launch = DurableLoadLaunch(
            profiles: random.oneIn(3) ? .atStart : .onDemand,
            elements: random.oneIn(3) ? .onDemand : .atStart,
            pages: pages,
            setsLoaderFirst: random.oneIn(2)
        )
        note("launch, profiles \(launch.profiles), elements \(launch.elements), pages \(pages)")
        let folder = try folder ?? GraphFolder()
        self.folder = folder
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(
            Profile.self,
            .unlimited,
            staleAfter: .seconds(Double(DurableLoadModel.lifetime))
        )
        cache = Cache(configuration: configuration)
        if launch.setsLoaderFirst { setLoader() }
        let limit = model.limit.map { DurableLimit.count($0) } ?? .none
        let graph = try folder.graph(lockTimeout: .milliseconds(5), wallClock: clock.wallClock) {
            Durable(Profile.self, "profile", limit: limit, load: launch.profiles)
            DurableList("feed", of: Profile.self, load: launch.elements)
            DurableResponses()
        }
        self.graph = graph
        try await graph.attach(to: cache)
        if !launch.setsLoaderFirst { setLoader() }
        model.launch(launch)
        return nil
    }

    private func setLoader() {
        cache.setLoader(for: Profile.self, gathering: .zero, requiring: { $0.email != nil }) {
            [server] in try server.loadProfiles($0)
        }
    }
}
