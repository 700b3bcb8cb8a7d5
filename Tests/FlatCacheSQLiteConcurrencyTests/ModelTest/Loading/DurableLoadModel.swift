@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// A naive reference of profiles, requests and a loading list, in memory and in a file.
///
/// Times are in seconds. A flush copies from memory to the file what has changed since the last
/// one, and a launch forgets the memory.
struct DurableLoadModel {
    struct Entity {
        var value: Profile
        /// The time of the last write.
        var stored: Int
        /// The time of the last write whose own value was whole, or `nil` if none counts.
        var whole: Int?
        var isInvalidated = false

        func isStale(at now: Int) -> Bool { isInvalidated || stored + lifetime <= now }

        /// The time of the last whole write, unless that is stale.
        func freshWhole(at now: Int) -> Int? { whole.flatMap { $0 + lifetime > now ? $0 : nil } }
    }

    struct Response: Equatable {
        /// The note of a page, or `nil` for a response of the other type.
        var note: Int?
        var ids: [Int]
        let arrival: Int
        var staleFrom: Int?

        func isStale(at now: Int) -> Bool { staleFrom.map { $0 <= now } ?? false }
        func isExpired(at now: Int) -> Bool { staleFrom.map { $0 + 300 <= now } ?? false }
    }

    struct List: Equatable {
        var ids: [Int] = []
        var pageCount = 0
        var isComplete = false

        mutating func append(_ page: [Profile], isLast: Bool) {
            for profile in page where !ids.contains(profile.id) { ids.append(profile.id) }
            pageCount += 1
            isComplete = isLast
        }
    }

    struct Content {
        var entities: [Int: Entity] = [:]
        var responses: [String: Response] = [:]
        var list: List?
    }

    /// The changes since the last flush.
    struct Changes {
        var entities: Set<Int> = []
        /// The entities that memory lacked when a value was merged into them.
        var inserted: Set<Int> = []
        var removed: Set<Int> = []
        var invalidatedEntities: Set<Int> = []
        var responses: Set<String> = []
        var invalidatedResponses: Set<String> = []
        var changesList = false
        var removesAll = false
    }

    static let lifetime = 60
    static let ids = 0..<4
    static let names = ["a1", "a2", "b1", "b2"]
    static let listRequest = "list feed of \(String(reflecting: Profile.self))"

    /// The time for which the response of a request is fresh, or `nil` if it remains fresh.
    static func lifetime(of name: String) -> Int? {
        switch name {
        case "a1": nil
        case "a2": 10
        default: lifetime
        }
    }

    var memory = Content()
    var file = Content()
    var changes = Changes()
    var now = 0
    /// The number of calls of all functions.
    var callCount = 0
    /// The names of the requests whose responses are pages.
    var pages: Set<String> = []
    /// The maximum number of rows of profiles, or `nil` if there's none.
    let limit: Int?
    let counts = EventCounts()

    // MARK: Entities

    mutating func write(_ value: Profile, replacing: Bool = false) {
        let former = memory.entities[value.id]
        let isWhole = value.email != nil
        memory.entities[value.id] = Entity(
            value: replacing ? value : former?.value.merged(with: value) ?? value,
            stored: now,
            whole: isWhole ? now : replacing ? nil : former?.whole
        )
        changes.entities.insert(value.id)
        if replacing {
            changes.removed.insert(value.id)
        } else if former == nil {
            changes.inserted.insert(value.id)
        }
    }

    mutating func remove(_ id: Int) {
        memory.entities[id] = nil
        changes.removed.insert(id)
    }

    mutating func removeAll() {
        memory = Content()
        changes = Changes()
        changes.removesAll = true
        changes.removed = Set(Self.ids)
    }

    mutating func invalidate(_ id: Int) {
        memory.entities[id]?.isInvalidated = true
        memory.entities[id]?.whole = nil
        changes.invalidatedEntities.insert(id)
    }

    mutating func restore(_ id: Int) {
        guard memory.entities[id] == nil, !changes.removed.contains(id),
            var row = file.entities[id]
        else { return }
        if changes.invalidatedEntities.contains(id) {
            row.isInvalidated = true
            row.whole = nil
        }
        memory.entities[id] = row
        counts.add("restored entity")
    }

    /// Restores an entity, or fills in the parts that its value in memory lacks.
    private mutating func complete(_ id: Int) {
        restore(id)
        guard changes.inserted.contains(id), !changes.removed.contains(id),
            let row = file.entities[id], let entity = memory.entities[id]
        else { return }
        memory.entities[id]?.value = row.value.merged(with: entity.value)
        let isInvalidated = changes.invalidatedEntities.contains(id)
        memory.entities[id]?.whole = entity.whole ?? (isInvalidated ? nil : row.whole)
        counts.add("completed")
    }

    /// Loads an entity by the loader of the type.
    mutating func load(_ id: Int, _ answer: DurableLoadAnswer) {
        restore(id)
        if let entity = memory.entities[id], entity.value.email != nil, !entity.isStale(at: now),
            entity.freshWhole(at: now) != nil
        {
            return counts.add("fresh entity")
        }
        callCount += 1
        if !answer.fails { write(answer.whole(id)) }
    }

    /// Evicts an entity from memory, and the responses that contain it, unless they're unwritten.
    mutating func evict(_ id: Int) {
        memory.entities[id] = nil
        counts.add("evicted")
        for (name, response) in memory.responses
        where response.ids.contains(id) && !changes.responses.contains(name) {
            memory.responses[name] = nil
            counts.add("evicted response")
        }
    }

    /// Evicts the list from memory, and the response of its reload, unless that is unwritten.
    mutating func evictList() {
        memory.list = nil
        if !changes.responses.contains(Self.listRequest) {
            memory.responses[Self.listRequest] = nil
        }
        counts.add("evicted list")
    }

    // MARK: Requests

    mutating func invalidate(_ names: [String]) {
        for name in names {
            if let response = memory.responses[name], !response.isStale(at: now) {
                memory.responses[name]?.staleFrom = now
                changes.responses.insert(name)
            }
            changes.invalidatedResponses.insert(name)
        }
    }

    mutating func restore(_ name: String) {
        guard memory.responses[name] == nil, var row = file.responses[name] else { return }
        if name != Self.listRequest, (row.note != nil) != pages.contains(name) {
            counts.add("other type")
            file.responses[name] = nil
            return
        }
        if changes.removesAll { return }
        if row.isExpired(at: now) { return counts.add("expired") }
        row.ids.forEach { complete($0) }
        if changes.invalidatedResponses.contains(name) {
            row.staleFrom = min(now, row.staleFrom ?? .max)
        }
        memory.responses[name] = row
        if name == Self.listRequest { memory.list = memory.list ?? file.list }
        counts.add(row.isStale(at: now) ? "restored stale" : "restored fresh")
    }

    /// Returns whether a load by an observation or by `load()` makes a call after a restore.
    func needsCall(_ name: String) -> Bool {
        var copy = self
        copy.restore(name)
        return copy.memory.responses[name]?.isStale(at: now) ?? true
    }

    mutating func load(_ name: String, _ kind: DurableLoadKind, _ answer: DurableLoadAnswer) {
        let needsCall = kind.makesCall ?? needsCall(name)
        if kind != .reload { restore(name) }
        if !needsCall { return counts.add("no call") }
        callCount += 1
        if answer.fails { return counts.add("failed") }
        answer.rows.forEach { write($0) }
        store(name, answer.note, answer.ids)
        if let row = answer.applied { write(row) }
        if let id = answer.removed { remove(id) }
    }

    private mutating func store(_ name: String, _ note: Int?, _ ids: [Int]) {
        memory.responses[name] = Response(
            note: pages.contains(name) ? note : nil,
            ids: ids,
            arrival: now,
            staleFrom: Self.lifetime(of: name).map { now + $0 }
        )
        changes.responses.insert(name)
    }

    // MARK: The list

    mutating func reloadList(isReload: Bool = true, _ answer: DurableLoadAnswer) {
        let needsCall = isReload || needsCall(Self.listRequest)
        if !isReload { restore(Self.listRequest) }
        if !needsCall { return counts.add("no reload") }
        if answer.fails { return callCount += 1 }
        var list = List()
        let shown = memory.list?.pageCount ?? 0
        repeat {
            answer.page(list.pageCount).forEach { write($0) }
            list.append(answer.page(list.pageCount), isLast: answer.isLast(list.pageCount))
            callCount += 1
        } while !list.isComplete && list.pageCount < shown
        memory.list = list
        changes.changesList = true
        store(Self.listRequest, nil, [])
        counts.add("reloaded list")
    }

    /// `true` if an observation restores the list or its elements at any time of a reload.
    var restoresListAnyTime: Bool {
        memory.list == nil && file.list != nil && !changes.removesAll && needsCall(Self.listRequest)
    }

    mutating func loadNextPage(_ answer: DurableLoadAnswer) {
        var list = memory.list ?? List()
        if list.isComplete { return }
        callCount += 1
        if answer.fails { return }
        answer.page(list.pageCount).forEach { write($0) }
        list.append(answer.page(list.pageCount), isLast: answer.isLast(list.pageCount))
        memory.list = list
        changes.changesList = true
        counts.add("next page")
    }
}

// The clock, the file and launches.
extension DurableLoadModel {
    /// Removes the responses that have been stale for too long, unless they're unwritten.
    mutating func expire() {
        for (name, response) in memory.responses
        where response.isExpired(at: now) && !changes.responses.contains(name) {
            memory.responses[name] = nil
        }
    }

    /// Writes the changes to the file.
    ///
    /// - Parameter rows: The rows of profiles that the file contains afterwards, if there's a
    ///   limit: the model doesn't predict which ones it deletes.
    /// - Returns: A description of a wrong number of rows, or `nil`.
    mutating func flush(leaving rows: Set<Int>?) -> String? {
        if changes.removesAll { file = Content() }
        for id in changes.removed { file.entities[id] = nil }
        for id in changes.invalidatedEntities {
            file.entities[id]?.isInvalidated = true
            file.entities[id]?.whole = nil
        }
        for id in changes.inserted {
            guard let row = file.entities[id], let entity = memory.entities[id] else { continue }
            memory.entities[id]?.value = row.value.merged(with: entity.value)
            memory.entities[id]?.whole = entity.whole ?? row.whole
            counts.add("merged beneath")
        }
        for id in changes.entities { file.entities[id] = memory.entities[id] ?? file.entities[id] }
        let written = Set(file.entities.keys)
        if let limit, let rows {
            if !rows.isSubset(of: written) || rows.count != min(limit, written.count) {
                return "the file has the rows \(rows) of \(written)"
            }
            for id in written.subtracting(rows) {
                file.entities[id] = nil
                counts.add("evicted row")
                for (name, response) in file.responses where response.ids.contains(id) {
                    file.responses[name] = nil
                }
            }
        }
        if changes.changesList { file.list = memory.list }
        flushResponses()
        changes = Changes()
        return nil
    }

    private mutating func flushResponses() {
        for name in changes.invalidatedResponses {
            guard let row = file.responses[name] else { continue }
            file.responses[name]?.staleFrom = min(now, row.staleFrom ?? .max)
        }
        for name in changes.responses {
            let response = memory.responses[name]
            let isComplete = response?.ids.allSatisfy {
                memory.entities[$0] == nil || file.entities[$0] != nil
            }
            file.responses[name] = isComplete ?? false ? response : nil
        }
    }

    /// Forgets the memory, and loads what a graph loads when it's attached.
    mutating func launch(_ launch: DurableLoadLaunch) {
        memory = Content()
        changes = Changes()
        pages = launch.pages
        memory.list = file.list
        if launch.profiles == .atStart { Self.ids.forEach { restore($0) } }
        if launch.elements == .atStart { memory.list?.ids.forEach { restore($0) } }
    }
}
