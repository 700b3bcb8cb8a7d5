public import FlatCache
public import Foundation

/// An edit that is shown at once, and sent until the server accepts or refuses it.
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
/// A ``MutationQueue`` encodes a mutation as JSON when you submit it. If the queue stores its
/// mutations in a file, later versions of your program must be able to decode them.
///
/// ## Concurrency
/// The queue calls ``show(in:)``, ``apply(_:to:)`` and ``replace(_:)``, and reads ``scope``, under
/// the writers' lock. When you submit a mutation, it also calls ``replace(_:)`` on the submitting
/// thread, under no lock. It calls ``send(with:attempt:)`` and ``onFailure(_:_:)`` in a separate
/// task, under no lock.
public protocol CacheMutation<Server>: Codable, Sendable {
    /// The type of the value that sends the mutation, such as `any API`.
    associatedtype Server: Sendable
    /// The type of the server's response.
    associatedtype Response: Sendable

    /// The name that stands for the type in a file.
    ///
    /// Each type needs a different name. Keep the name when you rename the type.
    static var name: String { get }

    /// The scope of the mutation.
    ///
    /// The queue sends the mutations of a scope one at a time, in the order of their submission.
    /// By default, all mutations share one scope.
    var scope: MutationScope { get }

    /// Makes the edits that are shown until the mutation is confirmed or rolled back.
    ///
    /// The queue calls the method again after a restart, and after ``replace(_:)``. The edits must
    /// depend on the properties of the mutation alone.
    ///
    /// - Parameter layer: The editor of the mutation's layer.
    func show(in layer: CacheLayer)

    /// Sends the mutation, and decodes the response.
    ///
    /// The cache stores the entities in the response, as `Cache.ingest(_:)` does. If the response
    /// is lost, the queue calls the method again, also after a restart. A server that remembers the
    /// key of the attempt performs the mutation once.
    ///
    /// - Parameters:
    ///   - server: The value that the queue was created with.
    ///   - attempt: The number and the key of the attempt.
    /// - Returns: The response.
    /// - Throws: An error for ``onFailure(_:_:)``.
    func send(with server: Server, attempt: MutationAttempt) async throws -> Response

    /// Makes further writes of the commit that stores the response.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - batch: The batch of the commit.
    func apply(_ response: Response, to batch: CacheBatch)

    /// Replaces a temporary identifier, if the mutation names it.
    ///
    /// Implement the method if the mutation can name an entity that an earlier mutation creates:
    /// pass each such identifier to ``ReplacedIdentifier/replace(_:of:)``. Both mutations must have
    /// the same scope. If the earlier mutation is rolled back, this one is, too.
    ///
    /// - Parameter replaced: The temporary identifier and its replacement.
    mutating func replace(_ replaced: ReplacedIdentifier)

    /// Returns whether the mutation is sent again after a failed attempt.
    ///
    /// By default, a mutation is sent again after a cancellation, and after an error of the
    /// connection to the server: see ``MutationFailure/default(for:)``.
    ///
    /// - Parameters:
    ///   - error: The error of ``send(with:attempt:)``.
    ///   - attempt: The attempt that has failed.
    /// - Returns: The consequence of the failure.
    func onFailure(_ error: any Error, _ attempt: MutationAttempt) -> MutationFailure
}

extension CacheMutation {
    /// The scope ``MutationScope/shared``.
    public var scope: MutationScope { .shared }

    /// Makes no further writes.
    public func apply(_ response: Response, to batch: CacheBatch) {}

    /// Does nothing, for a mutation that names no temporary identifier.
    public func replace(_ replaced: ReplacedIdentifier) {}

    /// Returns ``MutationFailure/default(for:)``.
    public func onFailure(_ error: any Error, _ attempt: MutationAttempt) -> MutationFailure {
        .default(for: error)
    }
}

/// A scope whose mutations are sent one at a time, in the order of their submission.
public struct MutationScope: Hashable, Sendable {
    let name: String

    /// Creates a scope with a name.
    ///
    /// - Parameter name: The name. A file contains it: keep it in later versions of your program.
    public init(_ name: String) { self.name = name }

    /// The scope of mutations that don't declare another one.
    public static let shared = MutationScope("")

    /// Returns the scope of an entity.
    ///
    /// A file contains the scope as the name of the type and the description of the identifier. If
    /// you rename the type, new mutations have another scope than stored ones.
    ///
    /// - Parameters:
    ///   - type: The type under which the entity is stored.
    ///   - id: The entity's identifier.
    public static func entity<Value: Identifiable>(
        _ type: Value.Type,
        _ id: Value.ID
    ) -> MutationScope {
        MutationScope("\(type) \(id)")
    }
}

/// An attempt to send a mutation.
public struct MutationAttempt: Hashable, Sendable {
    /// The key of the mutation.
    ///
    /// It's the same for all attempts. Send it as an idempotency key: a server that remembers it
    /// performs the mutation once.
    public let key: UUID
    /// The number of the failed attempts before this one, also in earlier launches, plus one.
    public let number: Int
}

/// The consequence of a failed attempt.
public enum MutationFailure: Hashable, Sendable {
    /// The mutation is sent again, after a duration on the cache's clock.
    ///
    /// If the duration is `nil`, the pauses grow from a second to a minute, with a random part.
    case retry(after: Duration? = nil)
    /// The mutation is rolled back.
    case rollBack

    /// Returns the default consequence of an error.
    ///
    /// A mutation is sent again after a cancellation and after an error of the connection. Other
    /// errors roll it back.
    ///
    /// - Parameter error: The error of the attempt.
    public static func `default`(for error: any Error) -> MutationFailure {
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
