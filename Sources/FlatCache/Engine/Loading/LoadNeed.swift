/// The need for a load, as the stored value and a policy determine it.
@usableFromInline
enum LoadNeed<Value> {
    /// The stored value is the answer, or there is none.
    case answered(Value?)
    /// The stored value is the answer, and the entity has to be loaded in the background.
    case background(Value)
    /// The caller has to wait for a load.
    case load

    /// A Boolean value that indicates whether memory may lack the entity.
    @usableFromInline var mayBeMissing: Bool {
        switch self {
        case .answered(let value): value == nil
        case .background: false
        case .load: true
        }
    }
}
