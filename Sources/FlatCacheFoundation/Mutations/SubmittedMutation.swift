import FlatCache
public import Foundation

/// A mutation that was submitted, and hasn't been confirmed or rolled back yet.
///
/// <!-- prelude: mutations -->
/// ```swift
/// for mutation in mutations.pending.elements { print(mutation.name) }
/// ```
public struct SubmittedMutation: Identifiable, Codable, Hashable, Sendable {
    /// The identifier: identifiers of one account are in the order of submission.
    public let id: String
    /// The name of the mutation's type.
    public let name: String
    /// The key of all attempts to send the mutation.
    public let key: UUID
    let number: Int
    package let account: String
    var scope: String
    var payload: Data

    init(number: Int, account: String, name: String, scope: MutationScope, payload: Data) {
        key = UUID()
        let digits = "\(number)"
        let place = String(repeating: "0", count: max(0, 12 - digits.count)) + digits
        id = "\(Self.prefix(of: account))\(place)/\(key)"
        self.number = number
        self.account = account
        self.name = name
        self.scope = scope.name
        self.payload = payload
    }

    /// The beginning of the identifiers of an account, which isn't that of another account.
    package static func prefix(of account: String) -> String {
        "\(account.utf8.count):\(account)/"
    }
}

/// A submitted mutation whose answer can be awaited.
public struct PendingMutation<Response: Sendable>: Identifiable, Sendable {
    /// The identifier of the submitted mutation.
    public let id: SubmittedMutation.ID
    let task: Task<Response, any Error>

    /// The server's answer, after the commit that has stored it.
    ///
    /// - Throws: The error because of which the mutation was rolled back. If it was discarded, all
    ///   entities were removed, or another process has ended the mutation, the error is a
    ///   `LayerError`. If the queue was released, it's a `CancellationError`.
    public var value: Response {
        get async throws { try await task.value }
    }
}
