#if Macros
import Testing

/// The expansion of `@CachedRelationships`.
struct CachedRelationshipsMacroTests {
    private let macro = TestedMacro.cachedRelationships

    @Test func findsReferencesInStoredProperties() throws {
        try macro.expectExpansion(
            of: """
                public struct Book {
                    public let id: Int
                    var title: String?
                    var author: Related<Author>
                    @Known var tags: [FlatCache.Related<Tag>]?
                    var owner: OwnerRef
                    var editor = makeEditor()
                    var count = 0
                    var isLong: Bool { true }
                }
                """,
            is: """
                nonisolated extension Book: FlatCache.HasCachedRelationships {
                    public var relatedCacheKeys: Swift.Set<FlatCache.CacheKey> {
                        var keys: Swift.Set<FlatCache.CacheKey> = []
                        self.author.insertCacheKeys(into: &keys)
                        self.tags.insertCacheKeys(into: &keys)
                        keys.insert(referencesIn: self.owner)
                        keys.insert(referencesIn: self.editor)
                        return keys
                    }
                }
                """
        )
    }

    @Test func isEmptyWithoutReferences() throws {
        try macro.expectExpansion(
            of: "final class Tag {\n    let id: Int\n}",
            is: """
                nonisolated extension Tag: FlatCache.HasCachedRelationships {
                    var relatedCacheKeys: Swift.Set<FlatCache.CacheKey> {
                        []
                    }
                }
                """
        )
    }

    @Test func leavesOutIgnoredProperties() throws {
        try macro.expectExpansion(
            of: """
                struct Folder {
                    let id: Int
                    var children: [Related<Folder>]
                    @CachedRelationshipsIgnored var parent: Related<Folder>?
                    @FlatCache.CachedRelationshipsIgnored @Known var owner: Related<Author>?
                    @CachedRelationshipsIgnored lazy var sibling = makeSibling()
                }
                """,
            is: """
                nonisolated extension Folder: FlatCache.HasCachedRelationships {
                    var relatedCacheKeys: Swift.Set<FlatCache.CacheKey> {
                        var keys: Swift.Set<FlatCache.CacheKey> = []
                        self.children.insertCacheKeys(into: &keys)
                        return keys
                    }
                }
                """
        )
    }

    // MARK: Diagnostics

    @Test func requiresAStructOrAClass() throws {
        try macro.expectDiagnoses(
            of: "enum Book { case book }",
            MacroDiagnosis(
                "@CachedRelationships requires a struct or a class",
                at: "@CachedRelationships"
            )
        )
    }

    @Test func typesInWhichItCannotFindReferencesAreErrors() throws {
        func message(_ name: String) -> String {
            """
            @CachedRelationships can't find the relationships in the type of '\(name)'; use Related \
            in optionals, arrays, sets and dictionaries
            """
        }
        try macro.expectDiagnoses(
            of: """
                struct Book {
                    var pair: (Related<Author>, Int)?
                    var make: () -> Related<Author>
                    lazy var tags = [Related<Tag>(1)]
                    var author: (Related<Author>)?
                }
                """,
            MacroDiagnosis(message("pair"), at: "(Related<Author>, Int)?"),
            MacroDiagnosis(message("make"), at: "() -> Related<Author>"),
            MacroDiagnosis(
                "the lazy property 'tags' can't be read in 'relatedCacheKeys'; declare it without 'lazy'",
                at: "tags = [Related<Tag>(1)]"
            )
        )
    }
}
#endif
