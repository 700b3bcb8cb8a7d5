/// A batch that a `Sendable` value refers to.
@usableFromInline
struct BatchReference: @unchecked Sendable {
    // Guarded by the batch itself: each use checks that it's on the thread of the batch's closure.

    private let batch: CacheBatch

    @usableFromInline
    init(_ batch: CacheBatch) { self.batch = batch }

    /// Traps if the batch is used on another thread, or after its closure has returned.
    @usableFromInline
    func check() { batch.checkUsable() }

    /// Reads from the batch.
    @usableFromInline
    func checked<Result>(_ body: (CacheBatch) -> Result) -> Result {
        check()
        return body(batch)
    }
}
