@testable import FlatCacheTestSupport

/// The object through which an operation of the model test reads or writes.
enum ModelAccess: CaseIterable, Sendable {
    case cache
    /// The innermost open batch, or the cache if no batch is open.
    case batch
    /// The outermost open batch, or the cache if no batch is open.
    case outermostBatch
    /// A retained handle, or the cache for operations that a handle doesn't offer.
    case handle
}
