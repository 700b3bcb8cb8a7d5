/// A loaded value in a box, so that answers of all types have one type.
///
/// The box also distinguishes a response that is `nil`, of an optional type, from a missing
/// response.
@usableFromInline
final class LoadedValue<Value: Sendable>: Sendable {
    @usableFromInline let value: Value

    init(_ value: Value) { self.value = value }
}
