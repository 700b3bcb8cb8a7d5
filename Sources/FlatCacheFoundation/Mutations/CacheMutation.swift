public import FlatCache
public import Foundation

/// An edit that is shown at once, sent to a server, and kept until the server has answered.
///
/// <!-- prelude: mutations -->
/// ```swift
/// import Foundation
///
/// struct AddComment: CacheMutation {
///     static let name = "add-comment"
///     var issue: Issue.ID
///     var text: String
///     var draft = UUID()
///
///     var scope: MutationScope { .entity(Issue.self, issue) }
///
///     func show(in layer: CacheLayer) {
///         layer.set(Comment(id: draft, text: text))
///     }
///
///     func send(
///         with api: any API,
///         attempt: MutationAttempt
///     ) async throws -> Related<Comment> {
///         try await api.add(text, to: issue, key: attempt.key)
///     }
///
///     func apply(_ response: Related<Comment>, to batch: CacheBatch) {
///         batch.replaceIdentifier(of: Comment.self, from: draft, to: response.id)
///     }
/// }
/// ```
///
/// A ``MutationQueue`` encodes a mutation as JSON when you submit it. A mutation that was
/// stored by an earlier version of the program must remain decodable.
///
/// ## Concurrency
/// The cache calls ``show(in:)``, ``apply(_:to:)`` and ``replace(_:)`` under the writers' lock.
/// ``send(with:attempt:)`` runs in a task of the queue.
public protocol CacheMutation<Server>: Codable, Sendable {
    /// The type of the value that sends the mutation, such as `any API`.
    associatedtype Server: Sendable
    /// The type of the server's answer.
    associatedtype Response: Sendable

    /// The name of the type among the stored mutations. Keep it when you rename the type.
    static var name: String { get }

    /// The scope within which mutations are sent one at a time, in the order of their submission.
    ///
    /// By default, all mutations share one scope.
    var scope: MutationScope { get }

    /// Makes the edits that are shown until the mutation is confirmed or rolled back.
    ///
    /// - Parameter layer: The layer of the edits.
    func show(in layer: CacheLayer)

    /// Sends the mutation, and decodes the answer.
    ///
    /// The entities in the answer are stored, as those of `Cache.ingest(_:)` are. The queue may
    /// call the method again, also after a restart, if the answer was lost. A server that remembers
    /// the key of the attempt performs the mutation once.
    ///
    /// - Parameters:
    ///   - server: The value that the queue was created with.
    ///   - attempt: The number and the key of the attempt.
    /// - Throws: An error for ``onFailure(_:_:)``.
    func send(with server: Server, attempt: MutationAttempt) async throws -> Response

    /// Makes further writes of the commit that stores the answer.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - batch: The batch of the commit.
    func apply(_ response: Response, to batch: CacheBatch)

    /// Replaces a temporary identifier that the mutation names, once the server has assigned
    /// another one.
    ///
    /// A mutation that names an entity which an earlier one has created shares the scope of that
    /// mutation, and is rolled back with it. The method must pass each of its identifiers of the
    /// type to ``ReplacedIdentifier/replace(_:of:)``.
    ///
    /// - Parameter replaced: The identifier, and the one that replaces it.
    mutating func replace(_ replaced: ReplacedIdentifier)

    /// Returns whether a failed mutation is sent again.
    ///
    /// By default, a mutation is sent again after a cancellation, and after an error of the
    /// connection to the server: see ``MutationFailure/standard(for:)``.
    ///
    /// - Parameters:
    ///   - error: The error of ``send(with:attempt:)``.
    ///   - attempt: The attempt that has failed.
    func onFailure(_ error: any Error, _ attempt: MutationAttempt) -> MutationFailure
}

extension CacheMutation {
    /// The scope that all mutations without another one share.
    public var scope: MutationScope { .shared }

    /// Makes no further writes.
    public func apply(_ response: Response, to batch: CacheBatch) {}

    /// Does nothing: the mutation names no temporary identifier.
    public func replace(_ replaced: ReplacedIdentifier) {}

    /// Returns ``MutationFailure/standard(for:)``.
    public func onFailure(_ error: any Error, _ attempt: MutationAttempt) -> MutationFailure {
        .standard(for: error)
    }
}

/// The scope within which mutations are sent one at a time, in the order of their submission.
public struct MutationScope: Hashable, Sendable {
    let name: String

    /// Creates a scope with a name.
    ///
    /// - Parameter name: The name. The file keeps it, so it must mean the same in each launch.
    public init(_ name: String) { self.name = name }

    /// The scope of mutations without another one.
    public static let shared = MutationScope("")

    /// Returns the scope of an entity.
    ///
    /// - Parameters:
    ///   - type: The type of the entity.
    ///   - id: The identifier of the entity.
    public static func entity<Value: Identifiable>(
        _ type: Value.Type,
        _ id: Value.ID
    ) -> MutationScope {
        MutationScope("\(type) \(id)")
    }
}

/// An attempt to send a mutation.
public struct MutationAttempt: Hashable, Sendable {
    /// The key of the mutation, the same at each attempt.
    ///
    /// Send it as an idempotency key: a server that remembers it performs the mutation once.
    public let key: UUID
    /// The number of the attempt since the mutation was submitted or restored, beginning with 1.
    public let number: Int
}

/// The consequence of a failed attempt.
public enum MutationFailure: Hashable, Sendable {
    /// The mutation is sent again, after a duration on the cache's clock.
    ///
    /// Without a duration, the pauses increase from a second to a minute, and have a random part.
    case retry(after: Duration? = nil)
    /// The mutation's edits are taken back.
    case rollBack

    /// The consequence that a mutation without another policy has: cancellations and errors of the
    /// connection are followed by another attempt, other errors roll back.
    ///
    /// - Parameter error: The error of the attempt.
    public static func standard(for error: any Error) -> MutationFailure {
        let isTransient =
            error is CancellationError
            || (error as? URLError).map { transientCodes.contains($0.code) } ?? false
        return isTransient ? .retry() : .rollBack
    }

    private static let transientCodes: Set<URLError.Code> = [
        .cancelled, .timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost,
        .dnsLookupFailed, .notConnectedToInternet, .secureConnectionFailed,
        .internationalRoamingOff, .callIsActive, .dataNotAllowed,
    ]
}
