public import Dispatch
public import FlatCache

extension CacheDelivery {
    /// Returns a delivery that calls observers on a queue.
    ///
    /// ```swift
    /// import Dispatch
    /// import FlatCache
    /// import FlatCacheDispatch
    ///
    /// let cache = Cache(delivery: .queue(DispatchQueue(label: "observers")))
    /// ```
    ///
    /// - Parameter queue: The queue, serial or concurrent. On either, calls are made one at a time
    ///   and in commit order.
    public static func queue(_ queue: DispatchQueue) -> CacheDelivery {
        CacheDelivery { work in queue.async(execute: work) }
    }

    /// A delivery that calls observers on the main queue, and so on the main thread.
    ///
    /// ```swift
    /// import FlatCache
    /// import FlatCacheDispatch
    ///
    /// let book = cache.cached(Book.self, id: 1)
    /// let observation = book.observe(delivery: .main) { print($0.title) }
    /// ```
    public static let main = CacheDelivery.queue(.main)
}
