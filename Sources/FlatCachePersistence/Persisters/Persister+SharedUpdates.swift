extension Persister {
    /// Changes the value in place, while no other process does.
    ///
    /// ```swift
    /// let visits = Persister(key: "visits", defaultValue: 0)
    /// try await visits.updateShared { $0 += 1 }
    /// ```
    ///
    /// The update begins with the newest value of the storage. All calls of this method for one
    /// file or one suite of user defaults exclude each other, in all processes and for all
    /// persisters, and they exclude the other writes of this process. Other writes of user defaults
    /// by this module wait, in all processes. But another process can write a *file* meanwhile with
    /// ``persist(_:)`` or ``update(_:)``, and one of the two values is then lost. So use this
    /// method for every update of a file that processes share.
    ///
    /// The processes lock the folder of the file or of the defaults, so updates of files in one
    /// folder wait for each other. The lock ends with its process. If a network file system doesn't
    /// support `flock`, the lock doesn't exclude other machines. An ``InMemoryStorage`` needs no
    /// lock. Other storages throw an error.
    ///
    /// ## Concurrency
    /// The task is suspended while another process holds the lock. The closure is called once, on
    /// the actor of the caller, while the key is locked; see ``update(_:)``.
    ///
    /// - Parameters:
    ///   - timeout: The maximum time to wait for other processes.
    ///   - isolation: The actor of the caller.
    ///   - body: A closure that changes the value.
    /// - Returns: The result of the closure.
    /// - Throws: An error of the closure, `CancellationError`, or ``PersistenceError`` if the value
    ///   can't be read, decoded or stored, or if another process holds the lock for longer than
    ///   `timeout`. The stored value is then unchanged.
    @discardableResult
    public func updateShared<Result>(
        timeout: Duration = .seconds(10),
        isolation: isolated (any Actor)? = #isolation,
        _ body: (inout Value) throws -> Result
    ) async throws -> Result {
        while true {
            let result: Result?? = try await access.excludingOtherProcesses(
                timeout: timeout,
                isolation: isolation
            ) {
                try access.exclusively {
                    let stored = try value(of: access.reload())
                    guard var value = stored ?? defaultValue.evaluated else { return nil }
                    let result = try body(&value)
                    try access.store(value, atOnce: true)
                    return .some(result)
                }
            }
            if case .some(.some(let result)) = result { return result }
            // While no key is locked, because the closure is a user's and may use the key.
            _ = defaultValue()
        }
    }
}
