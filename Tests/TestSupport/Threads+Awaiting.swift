import Testing

/// Runs a closure on several threads at once, and suspends the task until all have ended.
///
/// Unlike ``onThreads(_:_:)``, the function blocks no thread that tasks need.
///
/// - Returns: `true` if all threads ended in time.
package func withThreads(
    _ count: Int,
    isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping @Sendable (Int) -> Void
) async -> Bool {
    let threads = startThreads(count, body)
    return await until { threads.allSatisfy(\.hasEnded) }
}

/// Runs closures at once, each on a new thread, and suspends the task until all have ended.
///
/// - Returns: `true` if all threads ended in time.
package func withThreads(
    isolation: isolated (any Actor)? = #isolation,
    _ bodies: (@Sendable () -> Void)...
) async -> Bool {
    await withThreads(bodies.count) { bodies[$0]() }
}
