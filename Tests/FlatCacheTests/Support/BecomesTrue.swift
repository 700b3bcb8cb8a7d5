/// Waits until a condition that others bring about holds, and lets other tasks run meanwhile.
///
/// - Returns: Whether it holds. It may not when the task is cancelled, as a test's is whose time is
///   up.
func becomesTrue(
    isolation actor: isolated (any Actor)? = #isolation,
    _ condition: () -> Bool
) async -> Bool {
    while !condition() {
        if Task.isCancelled { return false }
        await Task.yield()
    }
    return true
}
