#if Macros
import SwiftSyntax
import SwiftSyntaxMacros

/// The part of two values that a property has after a merge.
enum MergeRule {
    /// The newer value.
    case newer
    /// The newer value, or the older one if the newer is `nil`.
    case keepingOptional
    /// The newer value, or the older one if the newer is unknown. The type is a `Known`.
    case keepingKnown
    /// The newer value of the wrapper `@Known`, or the older one if the newer is unknown.
    case keepingWrapper

    /// Creates the rule of a property, or returns `nil` after a diagnostic if there is none.
    init?(_ property: StoredProperty, in context: some MacroExpansionContext) {
        if property.isLazy {
            context.diagnose(.lazyProperty(property.name), at: property.node)
            return nil
        }
        if property.isConditionallyKnown {
            context.diagnose(.conditionalKnown(property.name), at: property.node)
            return nil
        }
        // No response contains a constant with an initial value.
        if property.name == "id" || property.isFixed {
            self = .newer
        } else if property.isWrappedInKnown {
            self = .keepingWrapper
        } else if let type = property.type {
            self = type.isOptional ? .keepingOptional : type.isKnown ? .keepingKnown : .newer
        } else if property.initialValue?.isNeverOptional ?? false {
            self = .newer
        } else {
            context.diagnoseMissingType(of: property)
            return nil
        }
    }
}

extension ExprSyntax {
    /// `true` if an expression alone shows that its type isn't optional.
    fileprivate var isNeverOptional: Bool {
        switch kind {
        case .booleanLiteralExpr, .integerLiteralExpr, .floatLiteralExpr, .stringLiteralExpr,
            .arrayExpr, .dictionaryExpr:
            true
        // An empty collection, such as `[Int]()`.
        default: self.as(FunctionCallExprSyntax.self)?.calledExpression.isNeverOptional ?? false
        }
    }
}
#endif
