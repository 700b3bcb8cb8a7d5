/// Waits, without holding up the actor or the thread that it is called on, until a condition holds
/// that others bring about; returns whether it does within a generous time.
package func soon(
    isolation: isolated (any Actor)? = #isolation,
    _ condition: () -> Bool
) async -> Bool {
    let deadline = ContinuousClock.now + .seconds(300)
    while !condition() {
        guard ContinuousClock.now < deadline else { return false }
        try? await Task.sleep(for: .milliseconds(1))
    }
    return true
}
