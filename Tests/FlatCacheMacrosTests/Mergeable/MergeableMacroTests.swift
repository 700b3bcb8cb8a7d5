#if Macros
import Testing

/// The expansion of `@Mergeable`.
struct MergeableMacroTests {
    private let macro = TestedMacro.mergeable

    @Test func structWithOptionalsCallsItsMemberwiseInitializer() throws {
        try macro.expectExpansion(
            of: """
                struct Book {
                    let id: Int
                    var title: String
                    @CachedRelationshipsIgnored let pages: Int?
                    var series, publisher: Optional<String>
                    @Known var year: Int?
                    var `default`: Int?
                    var count = 0
                    let version: Int? = 3
                    var isLong: Bool? { nil }
                    static var shared: Int?
                }
                """,
            is: """
                nonisolated extension Book: FlatCache.Mergeable {
                    func merged(with other: Self) -> Self {
                        let pages = other.pages ?? self.pages
                        let series = other.series ?? self.series
                        let publisher = other.publisher ?? self.publisher
                        let `default` = other.`default` ?? self.`default`
                        var merged = Self(
                            id: other.id,
                            title: other.title,
                            pages: pages,
                            series: series,
                            publisher: publisher,
                            year: Swift.Optional<Int>.none,
                            default: `default`,
                            count: other.count
                        )
                        merged.$year = self.$year.merged(with: other.$year)
                        return merged
                    }
                }
                """
        )
    }

    @Test(arguments: [
        "init(id: Int) { self.id = id }", "#if DEBUG\n    func log() {}\n    #endif",
        "#make()", "@Clamped var size: Int = 3", "var merged = 3",
        "#if DEBUG\n    @Clamped\n    #endif\n    var size: Int = 3",
    ])
    func structWithoutAUsableMemberwiseInitializerChangesACopy(member: String) throws {
        try macro.expectExpansion(
            of: """
                struct Book {
                    let id: Int
                    var pages: Int?
                    @Known var year: Int?
                    \(member)
                }
                """,
            is: """
                nonisolated extension Book: FlatCache.Mergeable {
                    func merged(with other: Self) -> Self {
                        var merged = other
                        merged.pages = other.pages == nil ? self.pages : other.pages
                        merged.$year = self.$year.merged(with: other.$year)
                        return merged
                    }
                }
                """
        )
    }

    @Test func structWithAnUnknownMacroChangesACopy() throws {
        try macro.expectExpansion(
            of: """
                @Rows
                struct Book {
                    var pages: Int?
                }
                """,
            is: """
                nonisolated extension Book: FlatCache.Mergeable {
                    func merged(with other: Self) -> Self {
                        var merged = other
                        merged.pages = other.pages == nil ? self.pages : other.pages
                        return merged
                    }
                }
                """
        )
    }

    @Test func structWithoutOptionalsCallsItsMemberwiseInitializer() throws {
        try macro.expectExpansion(
            of: "struct Book {\n    let id: Int\n    @FlatCache.Known var year: Int?\n}",
            is: """
                nonisolated extension Book: FlatCache.Mergeable {
                    func merged(with other: Self) -> Self {
                        var merged = Self(
                            id: other.id,
                            year: Swift.Optional<Int>.none
                        )
                        merged.$year = self.$year.merged(with: other.$year)
                        return merged
                    }
                }
                """
        )
    }

    @Test(arguments: [
        ("public ", nil), ("package ", nil), ("public ", "extension Shop {}"),
        ("", "public extension Shop {}"),
    ])
    func newerValueWinsIfNothingCanBeUnknown(access: String, context: String?) throws {
        let memberAccess = access.isEmpty ? "public " : access
        try macro.expectExpansion(
            of: "\(access)struct Tag {\n    let id: Int?\n    var names = [String]()\n}",
            in: context,
            is: """
                nonisolated extension Tag: FlatCache.Mergeable {
                    \(memberAccess)func merged(with other: Self) -> Self {
                        other
                    }
                }
                """
        )
    }

    // MARK: Diagnostics

    @Test func requiresAStruct() throws {
        try macro.expectDiagnoses(
            of: "enum Book { case book }",
            MacroDiagnosis("@Mergeable requires a struct", at: "@Mergeable")
        )
    }

    @Test func propertiesThatItCannotMergeAreErrors() throws {
        try macro.expectDiagnoses(
            of: """
                struct Book {
                    var pages = Int("3")
                    lazy var size: Int? = 3
                    let version: Int? = 3
                }
                """,
            MacroDiagnosis(
                "declare the type of 'pages', so that @Mergeable knows whether it is optional",
                at: #"pages = Int("3")"#,
                repaired: [#"var pages: <#Type#> = Int("3")"#]
            ),
            MacroDiagnosis(
                "the lazy property 'size' may depend on others; declare it as a computed property",
                at: "size: Int? = 3"
            )
        )
    }

    @Test(arguments: ["Int?", "Known<Int>"])
    func constantIsAnErrorWithoutAMemberwiseInitializer(type: String) throws {
        try macro.expectDiagnoses(
            of: """
                struct Book {
                    let year: \(type)
                    init() { year = nil }
                }
                """,
            MacroDiagnosis(
                "@Mergeable can't keep a known value of the constant 'year'; declare it with 'var'",
                at: "year: \(type)",
                repaired: ["var year: \(type)"]
            )
        )
    }

    @Test func tupleOfPropertiesIsAnError() throws {
        try macro.expectDiagnoses(
            of: "struct Book {\n    var (a, b) = (1, 2)\n}",
            MacroDiagnosis("declare each stored property on its own", at: "(a, b) = (1, 2)")
        )
    }

    @Test func conditionalPropertyIsAnError() throws {
        try macro.expectDiagnoses(
            of: "struct Book {\n    #if DEBUG\n    var year: Int?\n    #endif\n}",
            MacroDiagnosis(
                "macros can't see which stored properties an #if contains; move the #if elsewhere",
                at: "#if DEBUG"
            )
        )
    }
}
#endif
