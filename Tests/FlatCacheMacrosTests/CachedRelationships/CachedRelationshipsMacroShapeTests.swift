#if Macros
import Testing

/// The expansion of `@CachedRelationships` for rarer shapes of properties.
struct CachedRelationshipsMacroShapeTests {
    private let macro = TestedMacro.cachedRelationships

    @Test func onlyPlainTypesAreSkipped() throws {
        try macro.expectExpansion(
            of: """
                struct Book {
                    let id: Related<Author>
                    var data: Data, other: R.Data
                    var generic: Data<Related<Author>>
                    var custom: Data<Int>
                    var date: Foundation.Date?
                    var count: (Swift.Int?)
                    var names: [String: [String?]]
                    var range: (lower: Int, upper: Int)?
                    var make: (Int, String) -> Void
                    var nothing: ()
                    #if DEBUG
                    var isLong: Bool { true }
                    static var shared: Int?
                    #endif
                }
                """,
            is: """
                nonisolated extension Book: FlatCache.HasCachedRelationships {
                    var relatedCacheKeys: Swift.Set<FlatCache.CacheKey> {
                        var keys: Swift.Set<FlatCache.CacheKey> = []
                        self.id.insertCacheKeys(into: &keys)
                        keys.insert(referencesIn: self.other)
                        self.generic.insertCacheKeys(into: &keys)
                        keys.insert(referencesIn: self.custom)
                        keys.insert(referencesIn: self.make)
                        return keys
                    }
                }
                """
        )
    }

    // MARK: Diagnostics

    @Test(arguments: [
        "[Related<Author>: Int]", "[String: [Related<Author>: Related<Author>]]",
        "Dictionary<Related<Author>, Related<Author>>?", "Swift.Dictionary<Related<Author>, Int>",
    ])
    func relationshipInTheKeyOfADictionaryIsAnError(type: String) throws {
        try macro.expectDiagnoses(
            of: "struct Book {\n    var authors: \(type)\n}",
            MacroDiagnosis(
                """
                @CachedRelationships can't find the relationships in the dictionary keys of \
                'authors'; use Related in the values
                """,
                at: type.hasPrefix("[String") ? String(type.dropFirst(9)) : type
            )
        )
    }

    @Test(arguments: ["(OwnerRef, Int)", "[(Int, OwnerRef?)]", "(first: Int, (Int, OwnerRef))?"])
    func tupleOfUnknownTypesIsAnError(type: String) throws {
        try macro.expectDiagnoses(
            of: "struct Book {\n    var owner: \(type)\n}",
            MacroDiagnosis(
                """
                @CachedRelationships can't find relationships in the tuple of 'owner'; declare a \
                struct, which conforms to CachedReference if it contains relationships
                """,
                at: type.hasPrefix("[") ? String(type.dropFirst()) : type
            )
        )
    }

    @Test(arguments: ["class", "open class"])
    func classThatIsNotFinalIsAnError(keyword: String) throws {
        try macro.expectDiagnoses(
            of: "\(keyword) Book {\n    let id = 1\n}",
            MacroDiagnosis(
                """
                @CachedRelationships can't see the properties of subclasses; declare the class \
                'final'
                """,
                at: "Book {"
            )
        )
    }
}
#endif
