/// A value that refers to entities of the cache, such as the value of a model's property.
///
/// A ``Related`` is such a value, and so is a ``PolymorphicRelation``, or an optional, an array, an
/// array slice, a contiguous array, a set, a dictionary, a ``ValidElements`` or a ``Known`` of
/// them, at any depth. A type of your own that contains references can conform, too:
///
/// ```swift
/// struct Credits: Codable, Hashable, CachedReference {
///     var author: Related<Author>
///     var translators: [Related<Author>]
///
///     func insertCacheKeys(into keys: inout Set<CacheKey>) {
///         author.insertCacheKeys(into: &keys)
///         translators.insertCacheKeys(into: &keys)
///     }
/// }
/// ```
///
/// In a module that is isolated to the main actor by default, declare the type `nonisolated`.
public protocol CachedReference {
    /// Inserts the keys of the entities that the value refers to directly.
    ///
    /// - Parameter keys: The set of the keys.
    func insertCacheKeys(into keys: inout Set<CacheKey>)
}

extension Related: CachedReference {
    /// Inserts the key of the entity.
    ///
    /// - Parameter keys: The set of the keys.
    public func insertCacheKeys(into keys: inout Set<CacheKey>) { keys.insert(cacheKey) }
}

extension PolymorphicRelation {
    /// Inserts the key of the entity.
    ///
    /// - Parameter keys: The set of the keys.
    public func insertCacheKeys(into keys: inout Set<CacheKey>) { keys.insert(cacheKey) }
}

extension Known: CachedReference where Value: CachedReference {
    /// Inserts the keys of the value, if there is one.
    ///
    /// - Parameter keys: The set of the keys.
    public func insertCacheKeys(into keys: inout Set<CacheKey>) {
        wrappedValue.insertCacheKeys(into: &keys)
    }
}

extension Optional: CachedReference where Wrapped: CachedReference {
    /// Inserts the keys of the value, if there is one.
    ///
    /// - Parameter keys: The set of the keys.
    public func insertCacheKeys(into keys: inout Set<CacheKey>) {
        self?.insertCacheKeys(into: &keys)
    }
}

extension CachedReference where Self: Sequence, Element: CachedReference {
    /// Inserts the keys of the elements.
    ///
    /// - Parameter keys: The set of the keys.
    /// - Complexity: O(*n*) in the number of elements.
    public func insertCacheKeys(into keys: inout Set<CacheKey>) {
        for element in self { element.insertCacheKeys(into: &keys) }
    }
}

extension Array: CachedReference where Element: CachedReference {}
extension ArraySlice: CachedReference where Element: CachedReference {}
extension ContiguousArray: CachedReference where Element: CachedReference {}
extension Set: CachedReference where Element: CachedReference {}

extension Dictionary: CachedReference where Value: CachedReference {
    /// Inserts the keys of the values.
    ///
    /// The dictionary's own keys aren't references.
    ///
    /// For example, for a `[String: Related<Author>]` of authors by role, the method inserts the
    /// keys of the authors.
    ///
    /// - Parameter keys: The set of the keys.
    /// - Complexity: O(*n*) in the number of values.
    public func insertCacheKeys(into keys: inout Set<CacheKey>) {
        for value in values { value.insertCacheKeys(into: &keys) }
    }
}
