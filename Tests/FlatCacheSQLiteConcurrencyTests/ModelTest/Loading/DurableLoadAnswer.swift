import FlatCache
import Foundation

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// The answer of the server to all calls of a step.
struct DurableLoadAnswer: Sendable {
    struct Failure: Error {}

    var fails = false
    /// The number of the step, which the values of whole profiles contain.
    var step = 0
    var note = 0
    /// The profiles in the response of a request.
    var rows: [Profile] = []
    /// The identifiers in the response without their profiles.
    var bare: [Int] = []
    /// A profile that `apply` writes.
    var applied: Profile?
    /// The profile that `apply` removes.
    var removed: Int?
    /// The pages of the list.
    var pages: [[Profile]] = []

    var ids: [Int] { rows.map(\.id) + bare }

    func whole(_ id: Int) -> Profile { Profile(id: id, name: "whole \(step)", email: "at \(step)") }

    func page(_ index: Int) -> [Profile] { pages.indices.contains(index) ? pages[index] : [] }

    func isLast(_ index: Int) -> Bool { index + 1 >= pages.count }

    /// The body of the response to a request.
    func body(isPage: Bool) throws -> Data {
        let rows = try rows.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
        let list = "[\((rows + bare.map { "\($0)" }).joined(separator: ","))]"
        return Data((isPage ? "{\"note\":\(note),\"profiles\":\(list)}" : list).utf8)
    }
}

extension DurableLoadAnswer: CustomStringConvertible {
    var description: String {
        if fails { return "an error" }
        let applied = applied.map { ", sets \(Self.text([$0]))" } ?? ""
        let removed = removed.map { ", removes \($0)" } ?? ""
        let pages = pages.map { Self.text($0) }.joined(separator: " | ")
        return "note \(note), \(Self.text(rows)) \(bare)\(applied)\(removed); pages \(pages)"
    }

    /// Marks whole profiles with an exclamation mark.
    static func text(_ profiles: [Profile]) -> String {
        "[\(profiles.map { "\($0.id)" + ($0.email == nil ? "" : "!") }.joined(separator: ", "))]"
    }
}

/// The server of the model test: it answers all calls at once.
final class DurableLoadServer: Sendable {
    private let state = Locked((answer: DurableLoadAnswer(), callCount: 0))

    var callCount: Int { state.withLock { $0.callCount } }
    var answer: DurableLoadAnswer { state.withLock { $0.answer } }

    func prepare(_ answer: DurableLoadAnswer) { state.withLock { $0.answer = answer } }

    /// Counts a call, and returns its answer.
    func call() throws -> DurableLoadAnswer {
        let answer = state.withLock { state in
            state.callCount += 1
            return state.answer
        }
        if answer.fails { throw DurableLoadAnswer.Failure() }
        return answer
    }

    func loadProfiles(_ ids: [Int]) throws -> [Profile] {
        let answer = try call()
        return ids.map(answer.whole)
    }

    func loadPage(_ cursor: String?) throws -> ListPage<Profile> {
        let answer = try call()
        let index = cursor.flatMap { Int($0) } ?? 0
        return ListPage(answer.page(index), next: answer.isLast(index) ? nil : "\(index + 1)")
    }

    func apply(to batch: CacheBatch) {
        let answer = answer
        if let row = answer.applied { batch.set(row) }
        if let id = answer.removed { batch.remove(Profile.self, id: id) }
    }
}

enum DurableLoadKind {
    case load, reload, restoreOnly

    /// `true` if the load makes a call in any case, and `nil` if it makes one when needed.
    var makesCall: Bool? {
        switch self {
        case .load: nil
        case .reload: true
        case .restoreOnly: false
        }
    }
}

/// The declarations of a launch.
struct DurableLoadLaunch {
    var profiles = DurableLoading.onDemand
    var elements = DurableLoading.atStart
    /// The names of the requests whose responses are pages.
    var pages: Set<String> = []
    var setsLoaderFirst = true
}

/// A type of the responses.
protocol DurableLoadResponse: Codable, Sendable {
    static var isPage: Bool { get }
    /// The note and the identifiers.
    var text: String { get }
}

extension [Related<Profile>]: DurableLoadResponse {
    static var isPage: Bool { false }
    var text: String { "\(map(\.id))" }
}

struct DurableLoadPage: DurableLoadResponse, HasCachedRelationships, Equatable {
    var note: Int
    var profiles: [Related<Profile>]

    static var isPage: Bool { true }
    var text: String { "note \(note), \(profiles.map(\.id))" }
    var relatedCacheKeys: Set<CacheKey> {
        Set(profiles.map { CacheKey(Profile.self, id: $0.id) })
    }
}

extension DurableLoadModel.Response {
    var text: String { (note.map { "note \($0), " } ?? "") + "\(ids)" }
}

/// A handle of a request with a response of either type.
struct DurableLoadHandle {
    let value: () -> String?
    let load: (DurableLoadKind) async throws -> String
    let observe: () -> Disposable
    let loadState: () -> LoadState

    init<Response: DurableLoadResponse>(
        _ name: String,
        of type: Response.Type,
        in cache: Cache,
        _ server: DurableLoadServer
    ) {
        let lifetime = DurableLoadModel.lifetime(of: name)
        let request = cache.request(
            name,
            staleAfter: lifetime.map { .after(.seconds($0)) } ?? .never
        ) {
            let body = try server.call().body(isPage: Response.isPage)
            return try JSONDecoder().decode(Response.self, from: body)
        } apply: { batch, _ in
            server.apply(to: batch)
        }
        value = { request.value?.text }
        load = { kind in
            switch kind {
            case .load: try await request.load().text
            case .reload: try await request.reload().text
            case .restoreOnly:
                try await cache.load(name, policy: .cacheOnly) { () async throws -> Response in
                    throw DurableLoadAnswer.Failure()
                }
                .text
            }
        }
        observe = { request.observe { _ in } }
        loadState = { request.loadState }
    }
}
