import FlatCache
public import Foundation

/// A submitted mutation that hasn't been confirmed or rolled back.
///
/// <!-- prelude: mutations -->
/// ```swift
/// for mutation in mutations.pending.elements { print(mutation.name) }
/// ```
public struct SubmittedMutation: Identifiable, Codable, Hashable, Sendable {
    /// The identifier of the submitted mutation.
    ///
    /// The identifiers of an account sort in the order of submission.
    public let id: String
    /// The name of the mutation's type.
    public let name: String
    /// The key of all attempts, ``MutationAttempt/key``.
    public let key: UUID
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

    /// Returns the beginning of the identifiers of a queue in memory, whose mutations no graph keeps
    /// and no other queue shows.
    static func memoryPrefix() -> String { "memory/\(UUID())/" }

    /// Returns whether graphs keep a mutation.
    package static func isStored(_ id: ID) -> Bool { !id.hasPrefix("memory/") }
}

/// A submitted mutation whose response can be awaited.
public struct PendingMutation<Response: Sendable>: Identifiable, Sendable {
    /// The identifier of the submitted mutation.
    public let id: SubmittedMutation.ID
    let task: Task<Response, any Error>

    /// The server's response, once a commit has stored it.
    ///
    /// - Throws: The error that rolled the mutation back. It's a `LayerError` if the mutation was
    ///   discarded, if all entities were removed, or if another process has ended the mutation.
    ///   It's a `CancellationError` if the queue was released.
    public var value: Response {
        get async throws { try await task.value }
    }
}
