#if Macros
import Testing

/// Types that an extension at file scope can't extend.
struct MacroVisibilityTests {
    @Test(arguments: [TestedMacro.mergeable, .cachedRelationships])
    func privateNestedTypeIsAnError(macro: TestedMacro) throws {
        try macro.expectDiagnoses(
            of: "private struct Book {\n    let id: Int\n}",
            in: "enum Shop {}",
            MacroDiagnosis(
                "an extension can't see a private type in another type; declare it 'fileprivate'",
                at: "@\(macro.rawValue)"
            )
        )
    }

    @Test(arguments: [
        ("private ", nil, ""), ("fileprivate ", "enum Shop {}", ""),
        ("", "private extension Shop {}", ""), ("", "private enum Shop {}", "fileprivate "),
        ("public ", "fileprivate struct Shop {}", "fileprivate "),
    ])
    func memberIsAsVisibleAsTheType(access: String, context: String?, member: String) throws {
        try TestedMacro.mergeable.expectExpansion(
            of: "\(access)struct Book {\n    let id: Int\n}",
            in: context,
            is: """
                nonisolated extension Book: FlatCache.Mergeable {
                    \(member)func merged(with other: Self) -> Self {
                        other
                    }
                }
                """
        )
    }
}
#endif
