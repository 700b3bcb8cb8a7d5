#if Macros
/// Writes the `merged(with:)` of a struct and makes it `Mergeable`.
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
/// ## Spelling of types
/// The macro reads the declaration only:
///
/// - An optional is spelled `Int?` or `Optional<Int>`. A property whose type is an alias of an
///   optional takes the newer value, even `nil`.
/// - A ``Known`` property has the attribute `@Known` or the type `Known<Int>`. An alias of `Known`
///   isn't recognized, and takes the newer value, even an unknown one.
/// - If a property has no type annotation and its initial value doesn't show its type, the macro
///   reports an error. A lazy property is an error as well, because its value may depend on others,
///   and so is a `@Known` in an `#if`.
///
/// ## Initializers
/// The method calls the memberwise initializer where the declaration shows that there is one, as
/// fast code by hand does. Otherwise it changes a copy of the newer value, for example after a
/// custom initializer, an unknown attribute, an attribute with arguments or an `#if`, or if the
/// initial value of a constant isn't a literal. Optional properties must then be variables, and
/// their `willSet` and `didSet` run during the merge.
///
/// The trait `Macros` of the package adds this macro, and requires SwiftSyntax.
@attached(extension, conformances: Mergeable, names: named(merged))
public macro Mergeable() = #externalMacro(module: "FlatCacheMacros", type: "MergeableMacro")

/// Writes the `relatedCacheKeys` of a struct or a class and makes it ``HasCachedRelationships``.
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
/// ``Related``, a ``PolymorphicRelation``, or an optional, an array, an array slice, a contiguous
/// array, a set, a dictionary, a ``ValidElements`` or a ``Known`` of them. In a generic type, such
/// as `Row<Item>`, the references of its generic arguments count.
///
/// ## Limits
/// - If the declared type spells `Related` in an unsupported form, such as a tuple or the keys of a
///   dictionary, the macro or the compiler reports an error. A tuple is also an error if one of its
///   types may contain references.
/// - A struct that contains references is skipped without an error, unless it conforms to
///   ``CachedReference``. So is a reference in a type alias of a tuple. In a module that is
///   isolated to the main actor by default, declare such a struct `nonisolated`.
/// - Computed properties don't count, and neither do the properties that a class inherits.
/// - A property with the attribute ``CachedRelationshipsIgnored()`` doesn't count.
/// - A class must be final. Its stored properties must be constants or `nonisolated`.
///
/// The trait `Macros` of the package adds this macro, and requires SwiftSyntax.
@attached(extension, conformances: HasCachedRelationships, names: named(relatedCacheKeys))
public macro CachedRelationships() =
    #externalMacro(module: "FlatCacheMacros", type: "CachedRelationshipsMacro")

/// Leaves a stored property out of the relationships that ``CachedRelationships()`` finds.
///
/// Observers then receive no changes of the entities that the property refers to. For example, a
/// folder's back reference to its parent would let each observer of a folder follow the whole tree:
///
/// ```swift
/// @CachedRelationships
/// struct Folder: CacheEntity, Codable, Equatable {
///     let id: Int
///     var name: String
///     var children: [Related<Folder>]
///     @CachedRelationshipsIgnored var parent: Related<Folder>?
/// }
/// ```
///
/// The attribute has no effect on decoding: the cache stores an entity that is embedded in the
/// place of the reference.
@attached(peer)
public macro CachedRelationshipsIgnored() =
    #externalMacro(module: "FlatCacheMacros", type: "CachedRelationshipsIgnoredMacro")

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
