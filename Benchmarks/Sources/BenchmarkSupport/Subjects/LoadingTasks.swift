import Synchronization

/// The baseline of loads, as an app would write it: a dictionary of values, and one of the tasks
/// that load missing ones.
final class LoadingTasks<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    private struct State {
        var values: [Value.ID: Value] = [:]
        var tasks: [Value.ID: Task<Value, Never>] = [:]
    }

    private let state = Mutex(State())

    /// Returns the stored value, or the result of the only task that loads the identifier.
    func load(
        _ id: Value.ID,
        _ fetch: @escaping @Sendable (Value.ID) async -> Value
    ) async -> Value {
        let (value, task) = state.withLock { state -> (Value?, Task<Value, Never>?) in
            if let value = state.values[id] { return (value, nil) }
            if let task = state.tasks[id] { return (nil, task) }
            let task = Task {
                let value = await fetch(id)
                self.state.withLock { state in
                    state.values[id] = value
                    state.tasks[id] = nil
                }
                return value
            }
            state.tasks[id] = task
            return (nil, task)
        }
        if let value { return value }
        guard let task else { return await fetch(id) }
        return await task.value
    }
}
