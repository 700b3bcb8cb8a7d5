/// A two-way conversion between values and their stored form.
///
/// To convert values yourself, conform a type:
///
/// ```swift
/// struct TrimmedText: Transformer {
///     func transformValue(_ value: String) -> String {
///         value.trimmingCharacters(in: .whitespaces)
///     }
///
///     func untransformValue(_ output: String) -> String { output }
/// }
///
/// @Persisted(key: "note", transformer: TrimmedText()) var note = ""
/// note = "  read Tehanu  "
/// print(UserDefaults.standard.string(forKey: "note") ?? "")  // read Tehanu
/// ```
///
/// To combine transformers, use ``append(_:)``:
///
/// ```swift
/// let stored = RawRepresentableTransformer<Theme>().append(PropertyListValueTransformer())
/// ```
public protocol Transformer<Input, Output>: Sendable {
    /// The type of the values.
    associatedtype Input: Sendable

    /// The type of the stored form.
    associatedtype Output: Sendable

    /// Converts a value to its stored form.
    ///
    /// - Parameter value: The value.
    /// - Returns: The stored form.
    /// - Throws: An error if the value has no stored form.
    func transformValue(_ value: Input) throws -> Output

    /// Converts a stored form back to its value.
    ///
    /// Don't trust the stored form: it may come from a file that other programs can write.
    ///
    /// - Parameter output: The stored form.
    /// - Returns: The value.
    /// - Throws: An error if this isn't the stored form of a value.
    func untransformValue(_ output: Output) throws -> Input
}
