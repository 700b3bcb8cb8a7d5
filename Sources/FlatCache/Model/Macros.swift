#if Macros
/// Writes the `merged(with:)` of a struct, which becomes `Mergeable`.
///
/// ```swift
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
/// if the newer one is `nil`, and a ``Known`` property keeps it if the newer one is unknown. A
/// property that you add later is merged in the same way.
///
/// The macro recognizes an optional by its spelling: `Int?` or `Optional<Int>`. A property whose
/// type is an alias of an optional takes the newer value, even `nil`. If a property has no type
/// annotation and its initial value doesn't show its type, the macro reports an error.
///
/// The method calls the memberwise initializer where the declaration shows that there is one, as
/// fast code by hand does. Otherwise, for example after a custom initializer, an unknown attribute,
/// an `#if` or a lazy property, it changes a copy of the newer value. Optional properties must then
/// be variables that aren't lazy.
///
/// The trait `Macros` of the package adds this macro, and requires SwiftSyntax.
@attached(extension, conformances: Mergeable, names: named(merged))
public macro Mergeable() = #externalMacro(module: "FlatCacheMacros", type: "MergeableMacro")

/// Writes the `relatedCacheKeys` of a struct or a class, which becomes ``HasCachedRelationships``.
///
/// ```swift
/// @CachedRelationships
/// struct Book: CacheEntity, Codable, Equatable {
///     let id: Int
///     var author: Related<Author>
///     var translator: Related<Author>?
///     @Known var publishers: [Related<Publisher>]?
/// }
/// ```
///
/// The result contains the keys of each stored property whose type is a ``CachedReference``: a
/// ``Related``, a ``PolymorphicRelation``, or an optional, an array, a set or a dictionary of them.
/// Computed properties don't count. If the declared type spells `Related` in an unsupported form,
/// such as a tuple, the macro or the compiler reports an error. A reference hidden in a type alias
/// of a tuple, or in a type that isn't a ``CachedReference``, is skipped without an error. The
/// stored properties of a class must be constants or `nonisolated`.
///
/// The trait `Macros` of the package adds this macro, and requires SwiftSyntax.
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

    /// Inserts the keys of the entities that a value refers to, if its dynamic type shows that it
    /// contains references.
    ///
    /// The type is unknown in a generic type, such as `Row<Item>`, and for elements that are any
    /// ``CachedReference``. The method inserts nothing for a value without references.
    ///
    /// - Parameter value: The value.
    public mutating func insert(referencesIn value: some Any) {
        if let reference = value as? any CachedReference {
            reference.insertCacheKeys(into: &self)
        } else if let references = value as? [(any CachedReference)?] {
            for reference in references { reference?.insertCacheKeys(into: &self) }
        } else if let references = value as? [AnyHashable: (any CachedReference)?] {
            for reference in references.values { reference?.insertCacheKeys(into: &self) }
        }
    }
}
#endif
