@usableFromInline
struct LoadOptions<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    @usableFromInline let policy: LoadPolicy
    /// A closure that returns whether a value is whole, or `nil` if every value is.
    @usableFromInline let requirement: (@Sendable (Value) -> Bool)?
    /// `true` if values count as stale from the time of the latest whole value on.
    private(set) var countsFromWholeValue = false

    @usableFromInline
    init(policy: LoadPolicy, requirement: (@Sendable (Value) -> Bool)?) {
        self.policy = policy
        self.requirement = requirement
    }

    /// `true` if a stored, fresh value may not be enough.
    var isStrict: Bool { requirement != nil || policy == .networkOnly }

    @usableFromInline
    func accepts(_ value: Value) -> Bool { requirement?(value) ?? true }

    /// Returns the options with a loader's requirement.
    func with(_ loader: EntityLoader<Value>) -> LoadOptions {
        guard let loaderRequirement = loader.requirement else { return self }
        var options = LoadOptions(policy: policy, requirement: loaderRequirement)
        if let requirement {
            options = LoadOptions(policy: policy) { loaderRequirement($0) && requirement($0) }
        }
        options.countsFromWholeValue = true
        return options
    }
}

/// The need for a load, as the stored value and a policy determine it.
@usableFromInline
enum LoadNeed<Value> {
    /// The stored value is the answer, or there is none.
    case answered(Value?)
    /// The stored value is the answer, and the entity has to be loaded in the background.
    case background(Value)
    /// The caller has to wait for a load.
    case load
}
