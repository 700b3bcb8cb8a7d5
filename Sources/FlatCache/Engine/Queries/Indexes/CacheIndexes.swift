/// The indexes of a cache, which it keeps current.
struct CacheIndexes {
    /// The live queries that contain the indexes.
    var queries: [CacheIndexIdentity: any AnyObject & Sendable] = [:]
    /// The tokens that keep the indexes current.
    var tokens: [Disposable] = []
}
