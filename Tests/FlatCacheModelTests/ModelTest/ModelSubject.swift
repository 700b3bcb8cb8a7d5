@testable import FlatCacheTestSupport

/// The object on which the model test performs operations: a cache or its model.
protocol ModelSubject: AnyObject, Sendable {
    var isInTransaction: Bool { get }

    /// Sets a value.
    ///
    /// - Returns: The stored value, or `nil` for a handle, whose setter returns nothing.
    func set(_ record: ModelRecord, through access: ModelAccess) -> ModelRecord?
    func set(
        contentsOf records: [ModelRecord],
        of kind: ModelKey.Kind,
        through access: ModelAccess
    ) -> [ModelRecord]
    func replace(_ record: ModelRecord, through access: ModelAccess) -> ModelRecord
    func update(
        _ key: ModelKey,
        through access: ModelAccess,
        _ body: (inout ModelRecord) throws -> Void
    ) throws -> ModelRecord?
    func remove(_ key: ModelKey, through access: ModelAccess) -> ModelRecord?
    func removeAll(_ kind: ModelKey.Kind, through access: ModelAccess) -> Int
    func removeAll(through access: ModelAccess) -> Int
    func prune() -> Int

    func performBatch(
        completion: (@Sendable () -> Void)?,
        _ body: () throws -> Void
    ) throws
    func withSnapshot(_ body: () throws -> Void) throws

    /// Begins an observation and returns its token.
    func observe(
        _ observation: ModelObservation,
        _ observer: @escaping @Sendable (ModelNotice) -> Void
    ) -> any ModelToken
    func dropHandles()

    var version: UInt64 { get }
    /// The number of entities that observations reach, valid outside transactions.
    var watchedCount: Int { get }
    /// Traps if an invariant is violated. Call this method outside transactions.
    func checkInvariants()
    /// Returns the contents of the cache.
    func listings() -> [ModelListing]
    /// Returns the contents of the innermost open batch, or `nil` if no batch is open.
    func batchListings() -> [ModelListing]?
    /// Returns the values of the handles of all keys.
    func handleValues() -> [ModelKey: ModelRecord]
    /// Returns the contents of the open snapshots.
    func snapshotStates() -> [(version: UInt64, listings: [ModelListing])]
}

/// A token that ends an observation when it is disposed of or deallocated.
protocol ModelToken: AnyObject {
    func dispose()
}

/// The error that the closures of the model test throw.
struct ModelError: Error {}
