/// A participant whose storage may hold entities that memory lacks.
///
/// Loads ask it before they call a loader, and the cache asks it for missing entities that an
/// observation reaches. It restores the entities that it has with `CacheAccess.write(_:_:)`, and
/// the need for a load is then determined again. Entities that it doesn't have, or can't read, are
/// left out.
///
/// At most one call asks for a key at a time.
package protocol EntitySource: CommitParticipant {
    /// Restores entities, which memory lacked or which don't meet the requirement of a load.
    ///
    /// The cache calls the method under no lock, in a task without a caller of its own.
    func restore(_ keys: [CacheKey]) async

    /// Restores the response of a request that memory lacked.
    ///
    /// The cache calls the method under no lock, in a task without a caller of its own.
    ///
    /// - Parameters:
    ///   - request: The name of the request.
    ///   - type: The type of its response.
    func restoreResponse<Response: Sendable>(of request: String, as type: Response.Type) async
}
