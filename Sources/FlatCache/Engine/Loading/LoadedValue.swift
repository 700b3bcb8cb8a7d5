/// A loaded value in a box, so that answers of all types have one type.
///
/// The response of a request may be an optional.
@usableFromInline
final class LoadedValue<Value: Sendable>: Sendable {
    @usableFromInline let value: Value

    init(_ value: Value) { self.value = value }
}
