#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

/// The result builder of the declarations in a durable graph: types, lists, aliases and responses.
///
/// The compiler calls these methods for the closure that you pass to the initializer of
/// ``SQLiteGraph``. The closure can contain conditions and loops.
@resultBuilder
public enum DurableBuilder {
    /// A declared type or list, or declared aliases or responses.
    public struct Declaration: Sendable {
        let content: DeclaredContent
    }

    /// Builds the declaration of a type.
    public static func buildExpression<Value>(_ durable: Durable<Value>) -> [Declaration] {
        [Declaration(content: DeclaredContent(durable))]
    }

    /// Builds the declaration of a list.
    public static func buildExpression<Element>(_ list: DurableList<Element>) -> [Declaration] {
        [Declaration(content: list.content)]
    }

    /// Builds the declaration of lists with a prefix.
    public static func buildExpression<Element>(_ lists: DurableLists<Element>) -> [Declaration] {
        [Declaration(content: lists.content)]
    }

    /// Builds the declaration of the aliases of a type.
    public static func buildExpression<Value>(_ aliases: DurableAliases<Value>) -> [Declaration] {
        [Declaration(content: aliases.content)]
    }

    /// Builds the declaration of the responses of requests.
    public static func buildExpression(_ responses: DurableResponses) -> [Declaration] {
        [Declaration(content: DeclaredContent(responses))]
    }

    /// Builds the declarations of several expressions.
    public static func buildBlock(_ parts: [Declaration]...) -> [Declaration] {
        Array(parts.joined())
    }

    /// Builds the declarations of a condition without an alternative.
    public static func buildOptional(_ part: [Declaration]?) -> [Declaration] { part ?? [] }

    /// Builds the declarations of the first alternative.
    public static func buildEither(first part: [Declaration]) -> [Declaration] { part }

    /// Builds the declarations of the second alternative.
    public static func buildEither(second part: [Declaration]) -> [Declaration] { part }

    /// Builds the declarations of a loop.
    public static func buildArray(_ parts: [[Declaration]]) -> [Declaration] {
        Array(parts.joined())
    }
}
#endif
