/// A loaded value in a box, so that answers of all types have one type.
///
/// The response of a request may be an optional.
final class LoadedValue<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
