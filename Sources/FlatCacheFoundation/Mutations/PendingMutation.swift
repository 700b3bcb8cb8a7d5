public import FlatCache
public import Foundation

/// A submitted mutation that hasn't been confirmed or rolled back.
///
/// <!-- prelude: mutations -->
/// ```swift
/// for pending in mutations.pending.elements {
///     guard let mutation = mutations[pending.id] else { continue }
///     print("\(mutation) has failed \(pending.failureCount) times: \(pending.lastError ?? "")")
/// }
/// ```
public struct PendingMutation: Identifiable, Codable, Hashable, Sendable, FinallyRemoved {
    /// The identifier of the pending mutation.
    ///
    /// The identifiers of an account sort in the order of submission.
    public let id: String
    /// The name of the mutation's type.
    public let name: String
    /// The key of all attempts, ``MutationAttempt/key``.
    public let key: UUID
    /// The number of failed attempts, also in earlier launches.
    public internal(set) var failureCount = 0
    /// A description of the error of the last failed attempt, or `nil` before the first failure.
    public internal(set) var lastError: String?
    let number: Int
    package let account: String
    var scope: String
    var payload: Data

    init(
        number: Int,
        prefix: String,
        account: String,
        name: String,
        scope: MutationScope,
        payload: Data
    ) {
        key = UUID()
        let digits = "\(number)"
        let place = String(repeating: "0", count: max(0, 12 - digits.count)) + digits
        id = "\(prefix)\(place)/\(key)"
        self.number = number
        self.account = account
        self.name = name
        self.scope = scope.name
        self.payload = payload
    }

    /// Returns the prefix of an account's identifiers.
    ///
    /// It begins with the account's length, so that no prefix is the beginning of another one.
    package static func prefix(of account: String) -> String {
        "\(account.utf8.count):\(account)/"
    }

    /// Returns the beginning of the identifiers of a queue in memory, whose mutations no graph
    /// keeps and no other queue shows.
    static func memoryPrefix() -> String { "memory/\(UUID())/" }

    /// Returns whether graphs keep a mutation.
    package static func isStored(_ id: ID) -> Bool { !id.hasPrefix("memory/") }
}

/// A submitted mutation whose response can be awaited.
public struct MutationTask<Response: Sendable>: Identifiable, Sendable {
    /// The identifier of the pending mutation.
    public let id: PendingMutation.ID
    let task: Task<Response, any Error>

    /// The server's response, once a commit has stored it.
    ///
    /// Cancelling the task that waits for it doesn't cancel the mutation.
    ///
    /// - Throws: The error that rolled the mutation back, or a ``MutationError``.
    public var value: Response {
        get async throws { try await task.value }
    }
}

/// An error that ends a mutation, or the wait for its response, other than an error of
/// ``CacheMutation/send(with:attempt:)``.
public enum MutationError: Error, Hashable {
    /// The mutation, or an earlier one that creates an entity that it names, was discarded.
    case discarded
    /// All entities were removed from the cache.
    case removed
    /// Another process has confirmed the mutation or rolled it back.
    case endedElsewhere
    /// The queue was closed or released. A mutation in a file remains there.
    case closed
}
