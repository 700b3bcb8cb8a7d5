/// Turns values into what a storage holds, and back.
///
/// Transformers are put together with ``append(_:)``:
///
/// ```swift
/// let stored = RawRepresentableTransformer<Theme>().append(PropertyListValueTransformer())
/// ```
public protocol Transformer<Input, Output>: Sendable {
    /// The type of values that it turns into something else.
    associatedtype Input: Sendable

    /// The type of what it turns them into.
    associatedtype Output: Sendable

    /// Turns a value into its other form.
    ///
    /// - Parameter value: The value.
    /// - Returns: Its other form.
    /// - Throws: If it has none.
    func transformValue(_ value: Input) throws -> Output

    /// Turns the other form of a value back into the value.
    ///
    /// - Parameter output: The other form, which may come from a file that anybody can write.
    /// - Returns: The value.
    /// - Throws: If it is not the other form of a value.
    func untransformValue(_ output: Output) throws -> Input
}
