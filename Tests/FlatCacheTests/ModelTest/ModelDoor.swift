/// Through what an operation of the model test reads or writes.
enum ModelDoor: CaseIterable, Sendable {
    case cache
    /// The innermost open batch; the cache if there is none.
    case batch
    /// The outermost open batch; the cache if there is none.
    case outermostBatch
    /// A handle, which lives on; the cache, for what a handle cannot do.
    case handle
}
