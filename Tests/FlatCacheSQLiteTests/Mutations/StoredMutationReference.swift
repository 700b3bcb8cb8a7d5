import FlatCache
import FlatCacheFoundation
import Foundation
import TestSupport

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// The confirmed titles and the mutations after a commit.
struct OracleState: Equatable {
    /// The content that a launch reads from the file.
    struct Content: Equatable {
        var confirmed: [Int: String]
        var ids: [PendingMutation.ID]
    }

    var confirmed: [Int: String] = [:]
    var pending: [OracleMutation] = []

    var content: Content { Content(confirmed: confirmed, ids: pending.map(\.id)) }

    var shown: [Int: String] {
        pending.reduce(into: confirmed) { shown, mutation in
            if mutation.isCreation || shown[mutation.book] != nil {
                shown[mutation.book] = mutation.title
            }
        }
    }
}

struct OracleMutation: Equatable {
    let id: PendingMutation.ID
    let key: UUID
    var book: Int
    let title: String
    /// `true` if the mutation creates the book.
    let isCreation: Bool

    var scope: MutationScope { EditTitle(book: book, title: title).scope }
    var request: String { "\(key) \(isCreation ? "add \(book)" : "\(book)=\(title)")" }
}

/// A mutation that sends its key and a title.
///
/// The books 1 and 2 share a scope.
struct EditTitle: CacheMutation {
    static let name = "edit-title"
    var book: Int
    var title: String

    var scope: MutationScope {
        book == 1 || book == 2 ? MutationScope("shelf") : .entity(Book.self, book)
    }

    func show(in layer: CacheLayer) {
        layer.update(Book.self, id: book) { [title] in $0.title = title }
    }

    func send(with server: StubServer, attempt: MutationAttempt) async throws {
        _ = try await server.send("\(attempt.key) \(book)=\(title)")
    }

    func apply(_ response: (), to batch: CacheBatch) {
        batch.set(Book(id: book, title: title + "!"))
    }

    mutating func replace(_ replaced: ReplacedIdentifier) {
        replaced.replace(&book, of: Book.self)
    }
}

/// A mutation that sends its key, and adds a book under a temporary identifier.
struct CreateBook: CacheMutation {
    static let name = "create-book"
    var draft: Int
    var title: String

    var scope: MutationScope { .entity(Book.self, draft) }

    func show(in layer: CacheLayer) { layer.set(Book(id: draft, title: title)) }

    func send(with server: StubServer, attempt: MutationAttempt) async throws -> Int {
        Int(try await server.send("\(attempt.key) add \(draft)")) ?? 0
    }

    func apply(_ response: Int, to batch: CacheBatch) {
        batch.set(Book(id: response, title: title + "!"))
        batch.replaceIdentifier(of: Book.self, from: draft, to: response)
    }
}
