// The models of an issue tracker, its API, and a queue of mutations.
import FlatCache
import FlatCacheFoundation
import Foundation

struct Issue: CacheEntity, Codable, Equatable {
    let id: Int
    var isOpen: Bool
}

struct Comment: CacheEntity, Codable, Equatable {
    let id: UUID
    var text: String
}

protocol API: Sendable {
    func add(_ text: String, to issue: Issue.ID, key: UUID) async throws -> Related<Comment>
    func delete(_ comment: Comment.ID) async throws
    func close(_ issue: Issue.ID) async throws -> Issue
}

struct LiveAPI: API {
    func add(_ text: String, to issue: Issue.ID, key: UUID) async throws -> Related<Comment> {
        Related(UUID())
    }

    func delete(_ comment: Comment.ID) async throws {}
    func close(_ issue: Issue.ID) async throws -> Issue { Issue(id: issue, isOpen: false) }
}

struct AddComment: CacheMutation {
    static let name = "add-comment"
    var issue: Issue.ID
    var text: String
    var draft = UUID()

    func show(in layer: CacheLayer) { layer.set(Comment(id: draft, text: text)) }

    func send(with api: any API, attempt: MutationAttempt) async throws -> Related<Comment> {
        try await api.add(text, to: issue, key: attempt.key)
    }
}

struct CloseIssue: CacheMutation {
    static let name = "close-issue"
    var issue: Issue.ID

    func show(in layer: CacheLayer) {
        layer.update(Issue.self, id: issue) { $0.isOpen = false }
    }

    func send(with api: any API, attempt: MutationAttempt) async throws -> Issue {
        try await api.close(issue)
    }
}

let cache = Cache()
let live = LiveAPI()
let account = "ursula"
let mutations = cache.mutations(with: live as any API, account: account) {
    AddComment.self
    CloseIssue.self
}
