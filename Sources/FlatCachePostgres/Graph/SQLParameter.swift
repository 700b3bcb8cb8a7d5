#if canImport(CPostgres)
/// A parameter of a statement that a write executes, in the server's text format.
///
/// ```swift
/// import FlatCachePostgres
///
/// func send(_ text: String, in batch: GraphBatch) {
///     let sql = "INSERT INTO public.outbox (body, priority) VALUES ($1, $2)"
///     batch.execute(sql, ["Shipped: \(text)", 3])
/// }
/// ```
///
/// The server converts the text to the type of the placeholder. If it can't determine that type,
/// add it to the statement, such as `$1::jsonb`.
public struct SQLParameter: Hashable, Sendable {
    let text: String?

    /// Creates a parameter.
    ///
    /// - Parameter text: The text of the value, as PostgreSQL reads it, or `nil` for `NULL`.
    public init(_ text: String?) { self.text = text }

    /// An array, as the server reads it.
    static func array(_ elements: some Sequence<String>) -> SQLParameter {
        var text = "{"
        for element in elements {
            if text.utf8.count > 1 { text += "," }
            text += "\""
            for character in element.unicodeScalars {
                if character == "\"" || character == "\\" { text += "\\" }
                text.unicodeScalars.append(character)
            }
            text += "\""
        }
        return SQLParameter(text + "}")
    }
}

extension SQLParameter: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    /// Creates a text.
    public init(stringLiteral text: String) { self.init(text) }

    /// Creates a number.
    public init(integerLiteral number: Int) { self.init(String(number)) }

    /// Creates a number.
    public init(floatLiteral number: Double) { self.init(String(number)) }

    /// Creates a truth value.
    public init(booleanLiteral value: Bool) { self.init(value ? "true" : "false") }

    /// Creates `NULL`.
    public init(nilLiteral: ()) { self.init(nil) }
}
#endif
