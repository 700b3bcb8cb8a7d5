/// What the operations of the model test are performed on: a cache, or its model.
protocol ModelSubject: AnyObject, Sendable {
    var isInTransaction: Bool { get }

    /// Sets values of one type.
    ///
    /// - Returns: What is stored then; a handle's setter returns nothing.
    func set(_ record: ModelRecord, through door: ModelDoor) -> ModelRecord?
    func set(
        contentsOf records: [ModelRecord],
        of kind: ModelKey.Kind,
        through door: ModelDoor
    ) -> [ModelRecord]
    func replace(_ record: ModelRecord, through door: ModelDoor) -> ModelRecord
    func update(
        _ key: ModelKey,
        through door: ModelDoor,
        _ body: (inout ModelRecord) throws -> Void
    ) throws -> ModelRecord?
    func remove(_ key: ModelKey, through door: ModelDoor) -> ModelRecord?
    func removeAll(_ kind: ModelKey.Kind, through door: ModelDoor) -> Int
    func removeAll(through door: ModelDoor) -> Int
    func prune() -> Int

    func performBatch(
        completion: (@Sendable () -> Void)?,
        _ body: () throws -> Void
    ) throws
    func withSnapshot(_ body: () throws -> Void) throws

    /// Observes, and returns how to end that.
    func observe(
        _ observation: ModelObservation,
        _ observer: @escaping @Sendable (ModelNotice) -> Void
    ) -> any ModelToken
    func dropHandles()

    var version: UInt64 { get }
    /// How many entities observations reach, between transactions.
    var watchedCount: Int { get }
    /// Traps unless the subject is in order, between transactions.
    func checkInvariants()
    /// What the cache shows.
    func listings() -> [ModelListing]
    /// What the innermost open batch shows, if there is one.
    func batchListings() -> [ModelListing]?
    /// What the handles of all keys read.
    func handleValues() -> [ModelKey: ModelRecord]
    /// What the open snapshots show.
    func snapshotStates() -> [(version: UInt64, listings: [ModelListing])]
}

/// Ends an observation, also by its deallocation.
protocol ModelToken: AnyObject {
    func dispose()
}

/// What the closures of the model test throw.
struct ModelError: Error {}
