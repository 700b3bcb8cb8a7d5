#if Macros
/// Writes the `merged(with:)` of a struct, which becomes `Mergeable`.
///
/// ```
/// @Mergeable
/// struct Book: CacheEntity, Codable, Equatable {
///     let id: Int
///     var title: String
///     var subtitle: String?
///     @Known var year: Int?
/// }
/// ```
///
/// The result of a merge is the newer value, except that an optional property keeps the older value
/// if the newer one is `nil`, and a ``Known`` property keeps it if the newer one is unknown. So a
/// property that is added to the struct can't be forgotten.
///
/// The macro recognizes an optional by its spelling: `Int?` or `Optional<Int>`, but not a type alias
/// of these. It is an error if it can't know whether a property is optional, or if it can't assign
/// to an optional property.
///
/// The macro requires the trait `Macros`.
@attached(extension, conformances: Mergeable, names: named(merged))
public macro Mergeable() = #externalMacro(module: "FlatCacheMacros", type: "MergeableMacro")

/// Writes the `relatedCacheKeys` of a struct or a class, which becomes ``HasCachedRelationships``.
///
/// ```
/// @CachedRelationships
/// struct Book: CacheEntity, Codable, Equatable {
///     let id: Int
///     var author: Related<Author>
///     var owner: OwnerRef?
///     @Known var tags: [Related<Tag>]?
/// }
/// ```
///
/// The result contains the keys of each stored property whose type is a ``CachedReference``: a
/// ``Related``, a ``PolymorphicRelation``, or an optional, an array, a set or a dictionary of them.
/// It is an error if another type contains a `Related`. A type of your own that contains references
/// counts only if it is a ``CachedReference``. A class needs a `nonisolated` or immutable state.
///
/// The macro requires the trait `Macros`.
@attached(extension, conformances: HasCachedRelationships, names: named(relatedCacheKeys))
public macro CachedRelationships() =
    #externalMacro(module: "FlatCacheMacros", type: "CachedRelationshipsMacro")

extension Set<CacheKey> {
    /// Inserts the keys of the entities that a value refers to.
    ///
    /// The macro `@CachedRelationships` calls this method for a property of any type.
    ///
    /// - Parameter value: The value.
    public mutating func insert(referencesIn value: some CachedReference) {
        value.insertCacheKeys(into: &self)
    }

    /// Does nothing, because the value refers to no entities.
    ///
    /// - Parameter value: The value.
    public mutating func insert(referencesIn value: some Any) {}
}
#endif
