public import Dispatch
public import FlatCache

extension CacheDelivery {
    /// Calls observers on a queue.
    ///
    /// ```swift
    /// import Dispatch
    /// import FlatCache
    /// import FlatCacheDispatch
    ///
    /// let cache = Cache(delivery: .queue(DispatchQueue(label: "observers")))
    /// ```
    ///
    /// - Parameter queue: The queue, serial or not: calls come one at a time and in commit order on
    ///   either.
    public static func queue(_ queue: DispatchQueue) -> CacheDelivery {
        CacheDelivery { work in queue.async(execute: work) }
    }

    /// Calls observers on the main queue, and so on the main thread.
    public static let main = CacheDelivery.queue(.main)
}
