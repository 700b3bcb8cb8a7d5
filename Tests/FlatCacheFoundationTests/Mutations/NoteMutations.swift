import FlatCache
import FlatCacheFoundation
import Foundation
import TestSupport

struct Note: CacheEntity, Codable, Equatable {
    let id: String
    var text: String
}

/// A mutation that changes the text of a note.
struct SetText: CacheMutation, Equatable {
    static let name = "set-text"
    var note: String
    var text: String
    /// The scope, or `nil` for that of the note.
    var queue: String?

    var request: String { "\(note)=\(text)" }
    var scope: MutationScope { queue.map { MutationScope($0) } ?? .entity(Note.self, note) }

    func show(in layer: CacheLayer) {
        layer.update(Note.self, id: note) { [text] in $0.text = text }
    }

    func send(with server: StubServer, attempt: MutationAttempt) async throws -> Note {
        // The server's text differs, so that tests can tell the response from the edit.
        Note(id: note, text: try await server.send(request) + "!")
    }

    mutating func replace(_ replaced: ReplacedIdentifier) {
        replaced.replace(&note, of: Note.self)
    }
}

/// A mutation that creates a note under a temporary identifier.
struct AddNote: CacheMutation, Equatable {
    static let name = "add-note"
    var draft: String
    var text: String

    var scope: MutationScope { .entity(Note.self, draft) }

    func show(in layer: CacheLayer) { layer.set(Note(id: draft, text: text)) }

    func send(with server: StubServer, attempt: MutationAttempt) async throws -> Note {
        Note(id: try await server.send("add \(draft)"), text: text)
    }

    func apply(_ response: Note, to batch: CacheBatch) {
        batch.replaceIdentifier(of: Note.self, from: draft, to: response.id)
    }
}

/// A mutation that is sent again after five seconds, and then after the default pauses.
struct Ping: CacheMutation, Equatable {
    static let name = "ping"
    var number: Int

    func show(in layer: CacheLayer) {}

    func send(with server: StubServer, attempt: MutationAttempt) async throws -> String {
        try await server.send("ping \(number), attempt \(attempt.number)")
    }

    func onFailure(_ error: any Error, _ attempt: MutationAttempt) -> MutationFailure {
        attempt.number == 1 ? .retry(after: .seconds(5)) : .retry()
    }
}
