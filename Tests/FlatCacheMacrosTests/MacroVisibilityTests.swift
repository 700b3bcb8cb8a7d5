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
        ("private ", nil), ("fileprivate ", "private enum Shop {}"), ("", "private enum Shop {}"),
    ])
    func otherTypesAreVisible(access: String, context: String?) throws {
        try TestedMacro.mergeable.expectExpansion(
            of: "\(access)struct Book {\n    let id: Int\n}",
            in: context,
            is: """
                nonisolated extension Book: FlatCache.Mergeable {
                    func merged(with other: Self) -> Self {
                        other
                    }
                }
                """
        )
    }
}
#endif
