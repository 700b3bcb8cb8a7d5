/// The need for a load, as the stored value and a policy determine it.
enum LoadNeed<Value> {
    /// The stored value is the answer, or there is none.
    case answered(Value?)
    /// The stored value is the answer for now, and should be loaded in the background.
    case background(Value)
    case load
}
