import FlatCache
import FlatCacheSQLite
import Foundation

// The data layer of an issue tracker, as an app would write it. `weigh` compiles it.

struct User: CacheEntity, Codable, Equatable {
    let id: String
    var name: String
    var email: String?
    var avatar: URL?
}

struct Team: CacheEntity, Codable, Equatable, HasCachedRelationships {
    let id: Int
    var name: String
    var members: [Related<User>]

    var relatedCacheKeys: Set<CacheKey> { Set(members.map(\.cacheKey)) }
}

struct Project: CacheEntity, Codable, Equatable, HasCachedRelationships {
    let id: Int
    var name: String
    var summary: String?
    var isArchived: Bool
    var team: Related<Team>?

    var relatedCacheKeys: Set<CacheKey> { team.map { [$0.cacheKey] } ?? [] }
}

struct Milestone: CacheEntity, Codable, Equatable {
    let id: Int
    var title: String
    var due: Date?
    var project: Related<Project>
}

struct Label: CacheEntity, Codable, Equatable {
    let id: Int
    var name: String
    var color: String
}

struct Issue: CacheEntity, Codable, Equatable, Mergeable, HasCachedRelationships {
    enum State: String, Codable, Sendable { case open, closed }

    let id: Int
    var title: String
    var state: State
    var priority: Int
    var created: Date
    var updated: Date
    var details: String?
    var author: Related<User>
    var assignees: [Related<User>]
    var labels: [Related<Label>]
    var milestone: Related<Milestone>?
    var project: Related<Project>

    static let byProject = CacheIndex("project", \Issue.project)

    var relatedCacheKeys: Set<CacheKey> {
        var keys: Set<CacheKey> = [author.cacheKey, project.cacheKey]
        assignees.insertCacheKeys(into: &keys)
        labels.insertCacheKeys(into: &keys)
        milestone.insertCacheKeys(into: &keys)
        return keys
    }

    func merged(with other: Issue) -> Issue {
        var merged = other
        merged.details = other.details ?? details
        return merged
    }
}

struct Comment: CacheEntity, Codable, Equatable {
    let id: Int
    var text: String
    var created: Date
    var author: Related<User>
    var issue: Related<Issue>

    static let byIssue = CacheIndex("issue", \Comment.issue)
}

struct Reaction: CacheEntity, Codable, Equatable {
    let id: Int
    var emoji: String
    var user: Related<User>
    var comment: Related<Comment>
}

struct Attachment: CacheEntity, Codable, Equatable {
    let id: UUID
    var name: String
    var size: Int64
    var url: URL
    var issue: Related<Issue>
}

struct Sprint: CacheEntity, Codable, Equatable {
    let id: Int
    var number: Int
    var start: Date
    var end: Date
    var issues: [Related<Issue>]
}

struct Board: CacheEntity, Codable, Equatable {
    let id: Int
    var name: String
    var columns: [Related<Column>]
}

struct Column: CacheEntity, Codable, Equatable {
    let id: Int
    var name: String
    var limit: Int?
    var issues: [Related<Issue>]
}

struct Notice: CacheEntity, Codable, Equatable {
    let id: Int
    var text: String
    var isRead: Bool
    var date: Date
}

struct IssueRow: Equatable, Sendable {
    var title: String
    var author: String
    var labels: [String]
}

final class Tracker: Sendable {
    let cache: Cache
    let graph: SQLiteGraph

    init(file: URL) throws {
        var configuration = CacheConfiguration()
        configuration.limit(Notice.self, .count(500))
        configuration.limit(Attachment.self, .count(200), expires: .afterWrite(.seconds(3600)))
        configuration.index(Issue.byProject)
        configuration.index(Comment.byIssue)
        cache = Cache(configuration: configuration)
        graph = try SQLiteGraph(file) {
            Durable(User.self, "user")
            Durable(Team.self, "team")
            Durable(Project.self, "project")
            Durable(Milestone.self, "milestone")
            Durable(Label.self, "label")
            Durable(Issue.self, "issue")
            Durable(Comment.self, "comment")
            Durable(Reaction.self, "reaction")
            Durable(Attachment.self, "attachment")
            Durable(Sprint.self, "sprint")
            Durable(Board.self, "board")
            Durable(Column.self, "column")
            Durable(Notice.self, "notice")
        }
    }

    func start() async throws { try await graph.attach(to: cache) }
    func stop() async throws { try await graph.flush() }

    // MARK: Responses

    struct ProjectPage: Decodable, Sendable {
        var project: Related<Project>
        var issues: [Related<Issue>]
        var milestones: [Related<Milestone>]
        var labels: [Related<Label>]
    }

    struct IssuePage: Decodable, Sendable {
        var issue: Related<Issue>
        var comments: [Related<Comment>]
        var reactions: [Related<Reaction>]
        var attachments: [Related<Attachment>]
    }

    func ingestProject(_ data: Data) throws -> ProjectPage {
        try cache.ingest { try JSONDecoder().decode(ProjectPage.self, from: data) }
    }

    func ingestIssue(_ data: Data) throws -> IssuePage {
        try cache.ingest { try JSONDecoder().decode(IssuePage.self, from: data) }
    }

    // MARK: Writes

    func store(_ teams: [Team], _ boards: [Board], _ columns: [Column], _ sprints: [Sprint]) {
        cache.performBatchUpdates { batch in
            batch.set(contentsOf: teams)
            batch.set(contentsOf: boards)
            batch.set(contentsOf: columns)
            batch.set(contentsOf: sprints)
        }
    }

    func store(_ notices: [Notice]) { cache.set(contentsOf: notices) }
    func store(_ users: [User]) { cache.set(contentsOf: users) }
    func store(_ label: Label) { cache.set(label) }

    func close(_ issue: Issue.ID) {
        cache.update(Issue.self, id: issue) { $0.state = .closed }
    }

    func rename(_ project: Project.ID, to name: String) {
        cache.update(Project.self, id: project) { $0.name = name }
    }

    func assign(_ issue: Issue.ID, to user: User.ID) {
        cache.update(Issue.self, id: issue) { $0.assignees.append(Related(user)) }
    }

    func markRead(_ notice: Notice.ID) {
        cache.update(Notice.self, id: notice) { $0.isRead = true }
    }

    func delete(_ comment: Comment.ID) { cache.remove(Comment.self, id: comment) }
    func delete(_ attachment: Attachment.ID) { cache.remove(Attachment.self, id: attachment) }

    func move(_ issue: Issue.ID, from: Column.ID, to: Column.ID) {
        cache.performBatchUpdates { batch in
            batch.update(Column.self, id: from) { $0.issues.removeAll { $0.id == issue } }
            batch.update(Column.self, id: to) { $0.issues.append(Related(issue)) }
        }
    }

    // MARK: Screens

    func openIssues(of project: Project.ID) -> CachedQuery<Issue> {
        cache.query(Issue.self)
            .where(Issue.byProject, equals: Related(project))
            .where { $0.state == .open }
            .sorted(by: \.priority, .descending).then(by: \.created)
    }

    func comments(of issue: Issue.ID) -> CachedQuery<Comment> {
        cache.query(Comment.self)
            .where(Comment.byIssue, equals: Related(issue))
            .sorted(by: \.created)
    }

    func unread() -> CachedQuery<Notice> {
        cache.query(Notice.self).where { !$0.isRead }.sorted(by: \.date, .descending).limit(50)
    }

    func projects() -> CachedQuery<Project> {
        cache.query(Project.self).where { !$0.isArchived }.sorted(by: \.name)
    }

    func observeIssues(
        of project: Project.ID,
        _ show: @escaping @Sendable ([Issue]) -> Void
    ) -> Disposable {
        openIssues(of: project).observe(show)
    }

    func observeRows(
        of project: Project.ID,
        _ show: @escaping @Sendable ([IssueRow]) -> Void
    ) -> Disposable {
        openIssues(of: project)
            .map { issue, cache in
                IssueRow(
                    title: issue.title,
                    author: cache[issue.author]?.name ?? "",
                    labels: issue.labels.compactMap { cache[$0]?.name }
                )
            }
            .observe(show)
    }

    func observe(_ issue: Issue.ID, _ show: @escaping @Sendable (Issue) -> Void) -> Disposable {
        cache.cached(Issue.self, id: issue).observe(show)
    }

    func observe(_ user: User.ID, _ show: @escaping @Sendable (User) -> Void) -> Disposable {
        cache.cached(User.self, id: user).observe(show)
    }

    func observeComments(
        of issue: Issue.ID,
        _ show: @escaping @Sendable ([Comment]) -> Void
    ) -> Disposable {
        comments(of: issue).observe(show)
    }

    func observeUnread(_ show: @escaping @Sendable (Int) -> Void) -> Disposable {
        unread().observe { show($0.count) }
    }

    func observeProjects(_ show: @escaping @Sendable ([Project]) -> Void) -> Disposable {
        projects().observe(show)
    }

    func observeBoard(_ id: Board.ID, _ show: @escaping @Sendable (Board) -> Void) -> Disposable {
        cache.cached(Board.self, id: id).observe(show)
    }

    // MARK: Lists

    func showFeed(_ notices: [Notice]) {
        cache.list("feed", of: Notice.self).replace(with: notices)
    }

    func feed() -> [Notice] { cache.list("feed", of: Notice.self).elements }

    func count() -> Int {
        cache.count(of: Issue.self) + cache.count(of: Comment.self) + cache.count(of: User.self)
    }

    func teammates(of project: Project.ID) -> [User] {
        cache.withSnapshot { snapshot in
            guard let team = snapshot.get(Project.self, id: project)?.team,
                let members = snapshot[team]?.members
            else { return [] }
            return members.compactMap { snapshot[$0] }
        }
    }
}
