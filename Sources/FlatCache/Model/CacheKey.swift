/// The identity of an entity in a cache: its type together with its identifier.
///
/// ```swift
/// let key = CacheKey(Book.self, id: 1)
/// print(key)  // Book(1)
/// print(key.id(as: Book.self) == 1)  // true
/// ```
///
/// Two types never share a key, even if they have the same name in different modules or types. Two
/// identifiers that only print alike, such as `1` and `"1"`, have different keys.
public struct CacheKey: Hashable, Sendable {
    @usableFromInline let type: Any.Type
    @usableFromInline let identifier: ErasedIdentifier

    /// Creates the key of an entity, whether or not it exists.
    ///
    /// ```swift
    /// let key = CacheKey(Book.self, id: 1)
    /// print(key)  // Book(1)
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type under which the entity is stored.
    ///   - id: The entity's identifier.
    @inlinable
    public init<Value: Identifiable>(_ type: Value.Type, id: Value.ID) where Value.ID: Sendable {
        self.type = type
        identifier = ErasedIdentifier(id)
    }

    /// Creates the key of a value.
    ///
    /// - Parameter value: A value, stored or not.
    @inlinable
    public init<Value: Identifiable>(_ value: Value) where Value.ID: Sendable {
        self.init(Value.self, id: value.id)
    }

    /// Returns a Boolean value that indicates whether two keys identify the same entity.
    @inlinable
    public static func == (left: CacheKey, right: CacheKey) -> Bool {
        left.typeIdentifier == right.typeIdentifier && left.identifier == right.identifier
    }

    /// Feeds the type and the identifier to a hasher.
    ///
    /// - Parameter hasher: The hasher to feed.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(typeIdentifier)
        hasher.combine(identifier)
    }

    @inlinable package var typeIdentifier: ObjectIdentifier { ObjectIdentifier(type) }
}

extension CacheKey {
    /// Returns the identifier of the entity if its type matches, or `nil` otherwise.
    ///
    /// ```swift
    /// let key = CacheKey(Book.self, id: 7)
    /// print(key.id(as: Book.self) ?? 0)  // 7
    /// ```
    ///
    /// - Parameter type: The expected type of the entity.
    public func id<Value: Identifiable>(as type: Value.Type) -> Value.ID? where Value.ID: Sendable {
        guard typeIdentifier == ObjectIdentifier(type) else { return nil }
        return identifier.typed()
    }
}

extension CacheKey: CustomStringConvertible, CustomDebugStringConvertible {
    /// The type's name and the identifier, such as `Book(1)` or `Author("le-guin")`.
    public var description: String { "\(type)(\(identifier))" }

    /// Like ``description``, with the type's module and nesting, such as `Shop.Book(1)`.
    public var debugDescription: String { "\(String(reflecting: type))(\(identifier))" }
}
