#if Macros
import SwiftSyntax

extension TypeSyntax {
    /// `true` if the type surely contains no references.
    var isPlain: Bool {
        switch self.as(TypeSyntaxEnum.self) {
        case .optionalType(let type): type.wrappedType.isPlain
        case .arrayType(let type): type.element.isPlain
        case .dictionaryType(let type): type.key.isPlain && type.value.isPlain
        case .tupleType(let type): type.elements.allSatisfy(\.type.isPlain)
        case .identifierType(let type):
            type.genericArgumentClause == nil && Self.plainTypes.contains(type.name.text)
        // Another module or type can have its own type with this name.
        case .memberType(let type):
            type.genericArgumentClause == nil && Self.plainTypes.contains(type.name.text)
                && ["Foundation", "Swift"].contains(type.baseType.trimmedDescription)
        default: false
        }
    }

    private static var plainTypes: Set<String> {
        [
            "Bool", "Character", "Data", "Date", "Decimal", "Double", "Float", "Int", "Int8",
            "Int16", "Int32", "Int64", "String", "Substring", "TimeInterval", "UInt", "UInt8",
            "UInt16", "UInt32", "UInt64", "URL", "UUID",
        ]
    }
}
#endif
