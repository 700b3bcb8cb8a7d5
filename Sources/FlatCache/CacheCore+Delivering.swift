extension CacheCore {
    /// Calls the observers of what has been committed, or has them called, unless that is being
    /// done already.
    ///
    /// Must not be called under a lock.
    func deliver() {
        line.deliver { item in
            switch item {
            case .event(_, let recipient), .end(let recipient): recipient.deliver(item)
            case .completion(let completion): completion()
            }
        }
    }
}
