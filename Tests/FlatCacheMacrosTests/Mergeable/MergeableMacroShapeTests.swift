#if Macros
import Testing

/// The expansion of `@Mergeable` for rarer shapes of properties.
struct MergeableMacroShapeTests {
    private let macro = TestedMacro.mergeable

    @Test(arguments: [
        "let token = makeToken()", "let token: UUID = UUID()", #"let token = "\(UUID())""#,
        "let token = [makeToken()]", #"let token = ["a": makeToken()]"#, "let token = -zero",
        "var size: Int { @storageRestrictions(initializes: x) init {} get { 3 } }",
        "#if DEBUG\n    var isLong: Bool { true }\n    static var shared: Int?\n    #endif",
        "var `self`: Int",
    ])
    func propertyThatAnInitializerWouldChangeRequiresACopy(member: String) throws {
        try macro.expectExpansion(
            of: "struct Book {\n    var pages: Int?\n    \(member)\n}",
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

    @Test(arguments: ["@Known(wrappedValue: 3) var size: Int?", "@Known() var size: Int?"])
    func wrapperWithArgumentsRequiresACopy(member: String) throws {
        try macro.expectExpansion(
            of: "struct Book {\n    \(member)\n}",
            is: """
                nonisolated extension Book: FlatCache.Mergeable {
                    func merged(with other: Self) -> Self {
                        var merged = other
                        merged.$size = self.$size.merged(with: other.$size)
                        return merged
                    }
                }
                """
        )
    }

    @Test(arguments: [
        "3", "-3", "2.5", "true", "nil", #""a""#, "[1, [2]]", #"["a": 1]"#, "[:]", "[]",
    ])
    func constantWithALiteralKeepsTheInitializer(literal: String) throws {
        try macro.expectExpansion(
            of: "struct Book {\n    let version: Version = \(literal)\n    var pages: (Int?)\n}",
            is: """
                nonisolated extension Book: FlatCache.Mergeable {
                    func merged(with other: Self) -> Self {
                        let pages = other.pages ?? self.pages
                        return Self(
                            pages: pages
                        )
                    }
                }
                """
        )
    }

    @Test func propertyOfTypeKnownKeepsAKnownValue() throws {
        try macro.expectExpansion(
            of: """
                struct Book {
                    let year: Known<Int>
                    var pages: FlatCache.Known<Int> = .unknown
                    var rank: Other.Known<Int>
                }
                """,
            is: """
                nonisolated extension Book: FlatCache.Mergeable {
                    func merged(with other: Self) -> Self {
                        return Self(
                            year: self.year.merged(with: other.year),
                            pages: self.pages.merged(with: other.pages),
                            rank: other.rank
                        )
                    }
                }
                """
        )
        try macro.expectExpansion(
            of: "struct Book {\n    var year: Known<Int>\n    init() { year = .unknown }\n}",
            is: """
                nonisolated extension Book: FlatCache.Mergeable {
                    func merged(with other: Self) -> Self {
                        var merged = other
                        merged.year = self.year.merged(with: other.year)
                        return merged
                    }
                }
                """
        )
    }

    @Test func privateWrapperIsNoArgumentIfItHasADefault() throws {
        try macro.expectExpansion(
            of: """
                struct Book {
                    @Known private var year: Int?
                    @Known fileprivate var month: Optional<Int> = nil
                    @Known private var day: Optional<Int>
                    @Known private(set) var hour: Int?
                    @Known var minute: Minute
                }
                """,
            is: """
                nonisolated extension Book: FlatCache.Mergeable {
                    func merged(with other: Self) -> Self {
                        var merged = Self(
                            day: Swift.Optional<Int>.none,
                            hour: Swift.Optional<Int>.none,
                            minute: nil
                        )
                        merged.$year = self.$year.merged(with: other.$year)
                        merged.$month = self.$month.merged(with: other.$month)
                        merged.$day = self.$day.merged(with: other.$day)
                        merged.$hour = self.$hour.merged(with: other.$hour)
                        merged.$minute = self.$minute.merged(with: other.$minute)
                        return merged
                    }
                }
                """
        )
    }

    @Test func onlyLabelsThatNeedBackticksHaveThem() throws {
        try macro.expectExpansion(
            of: """
                struct Book {
                    var `in`: Int?
                    var `inout`: Int
                    var `page count`: Int
                }
                """,
            is: """
                nonisolated extension Book: FlatCache.Mergeable {
                    func merged(with other: Self) -> Self {
                        let `in` = other.`in` ?? self.`in`
                        return Self(
                            in: `in`,
                            `inout`: other.`inout`,
                            `page count`: other.`page count`
                        )
                    }
                }
                """
        )
    }

    // MARK: Diagnostics

    @Test func conditionalKnownIsAnError() throws {
        try macro.expectDiagnoses(
            of: "struct Book {\n    #if DEBUG\n    @Known\n    #endif\n    var year: Int?\n}",
            MacroDiagnosis(
                "@Mergeable can't see whether 'year' is @Known; move the attribute out of the #if",
                at: "year: Int?"
            )
        )
    }

    @Test(arguments: ["lazy var size: Int? = 3", "lazy var size: Int = 3", "lazy var size = 3"])
    func lazyPropertyIsAnError(member: String) throws {
        try macro.expectDiagnoses(
            of: "struct Book {\n    \(member)\n}",
            MacroDiagnosis(
                "the lazy property 'size' may depend on others; declare it as a computed property",
                at: String(member.dropFirst("lazy var ".count))
            )
        )
    }
}
#endif
