/// The options of a load of entities.
@usableFromInline
struct LoadOptions<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    let policy: LoadPolicy
    /// Returns whether a stored value is whole, or `nil` if every value is.
    let requirement: (@Sendable (Value) -> Bool)?

    @usableFromInline
    init(policy: LoadPolicy, requirement: (@Sendable (Value) -> Bool)?) {
        self.policy = policy
        self.requirement = requirement
    }

    func accepts(_ value: Value) -> Bool { requirement?(value) ?? true }

    /// Returns the options with a loader's requirement.
    func with(_ loader: EntityLoader<Value>) -> LoadOptions {
        guard let whole = loader.requirement else { return self }
        guard let requirement else { return LoadOptions(policy: policy, requirement: whole) }
        return LoadOptions(policy: policy) { whole($0) && requirement($0) }
    }
}

/// The need for a load, as the stored value and a policy determine it.
enum LoadNeed<Value> {
    /// The stored value is the answer, or there is none.
    case answered(Value?)
    /// The stored value is the answer for now, and should be loaded in the background.
    case background(Value)
    case load
}
