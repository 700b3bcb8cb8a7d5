/// A reference to a batch, for use in a `Sendable` value.
@usableFromInline
struct BatchReference: @unchecked Sendable {
    // Guarded by the batch itself: each use checks that it's on the thread of the batch's closure.

    private let batch: CacheBatch

    @usableFromInline
    init(_ batch: CacheBatch) { self.batch = batch }

    /// Traps if the caller is on another thread than the batch's closure, or the closure has
    /// returned.
    @usableFromInline
    func check() { batch.checkUsable() }

    /// Checks the batch, and runs a closure that reads from it.
    @usableFromInline
    func checked<Result>(_ body: (CacheBatch) -> Result) -> Result {
        check()
        return body(batch)
    }
}
