import FlatCache

/// A temporary identifier and its replacement.
///
/// <!-- prelude: mutations -->
/// ```swift
/// struct DeleteComment: CacheMutation {
///     static let name = "delete-comment"
///     var comment: Comment.ID
///
///     func show(in layer: CacheLayer) { layer.remove(Comment.self, id: comment) }
///
///     func send(with api: any API, attempt: MutationAttempt) async throws {
///         try await api.delete(comment)
///     }
///
///     mutating func replace(_ replaced: ReplacedIdentifier) {
///         replaced.replace(&comment, of: Comment.self)
///     }
/// }
/// ```
public final class ReplacedIdentifier {
    private let old: CacheKey
    /// The key of the entity in the response, or `nil` if the queue only finds out whether the
    /// mutation names the temporary identifier.
    private let new: CacheKey?
    /// `true` if the mutation names the temporary identifier.
    private(set) var isNamed = false

    init(_ old: CacheKey, _ new: CacheKey? = nil) {
        self.old = old
        self.new = new
    }

    /// Replaces an identifier if it's the temporary one.
    ///
    /// - Parameters:
    ///   - id: An identifier that the mutation names.
    ///   - type: The type of the entity.
    public func replace<Value: Identifiable & Sendable>(_ id: inout Value.ID, of type: Value.Type)
    where Value.ID: Sendable {
        guard old.id(as: type) == id else { return }
        isNamed = true
        if let new = new?.id(as: type) { id = new }
    }
}
