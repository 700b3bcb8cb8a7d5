/// A reference to an entity of one of several types.
///
/// An API puts several types behind one relation, and names the type beside the identifier:
/// `"actor": {"type": "User", "id": 7}`. Declare an enumeration with a case for each type, and a
/// ``RelationCase`` for each case:
///
/// ```swift
/// struct User: CacheEntity, Codable {
///     let id: Int
///     var name: String
/// }
///
/// struct Bot: CacheEntity, Codable {
///     let id: String
///     var name: String
/// }
///
/// enum ActorRef: PolymorphicRelation {
///     case user(Related<User>), bot(Related<Bot>)
///
///     static let cases = [
///         RelationCase("User", ActorRef.user) {
///             if case .user(let user) = $0 { user } else { nil }
///         },
///         RelationCase("Bot", ActorRef.bot) {
///             if case .bot(let bot) = $0 { bot } else { nil }
///         },
///     ]
/// }
///
/// struct Event: CacheEntity, Codable, Equatable, HasCachedRelationships {
///     let id: Int
///     var actor: ActorRef
///
///     var relatedCacheKeys: Set<CacheKey> { [actor.cacheKey] }
/// }
/// ```
///
/// The relation decodes an object that contains the type and the identifier, or the type and the
/// whole entity, as ``Related`` does. It encodes the type and the identifier.
///
/// ## Shared fields
/// ``value(in:)`` returns an entity of any of the types. Cast it to a protocol of your own to read
/// the fields that the types share:
///
/// <!-- continues -->
///
/// ```swift
/// protocol HasName {
///     var name: String { get }
/// }
/// extension User: HasName {}
/// extension Bot: HasName {}
///
/// if let event = cache[Event.self, 1], let actor = event.actor.value(in: cache) as? any HasName {
///     print(actor.name)
/// }
/// ```
///
/// ## Unknown types
/// If a response names a type that no case has, decoding throws an error. To keep such references,
/// add a case with an ``UnknownRelation``, and designate it:
///
/// <!-- continues -->
///
/// ```swift
/// enum OwnerRef: PolymorphicRelation {
///     case user(Related<User>), other(UnknownRelation)
///
///     static let cases = [
///         RelationCase("User", OwnerRef.user) {
///             if case .user(let user) = $0 { user } else { nil }
///         },
///         RelationCase(unknown: OwnerRef.other) {
///             if case .other(let other) = $0 { other } else { nil }
///         },
///     ]
/// }
/// ```
public protocol PolymorphicRelation: CachedReference, Codable, Hashable, Sendable {
    /// The cases with the names of their types.
    ///
    /// Each case of the enumeration occurs at least once. If a type has several names, its case
    /// occurs once for each of them, and the first name is encoded.
    static var cases: [RelationCase<Self>] { get }

    /// The key of the type's name, `"type"` by default.
    ///
    /// The key strategies of decoders and encoders apply to it: with `.convertFromSnakeCase`,
    /// `"ownerType"` is the discriminator for `owner_type`.
    static var discriminator: String { get }
}

extension PolymorphicRelation {
    /// The key `"type"`.
    public static var discriminator: String { "type" }

    /// The key of the entity that the reference refers to.
    ///
    /// An ``UnknownRelation`` has a key, too, but its key belongs to no entity.
    ///
    /// - Complexity: O(*n*) in the number of cases.
    public var cacheKey: CacheKey { found { $0.cacheKey(self) } }

    /// Returns the value of the entity that the reference refers to, or `nil` if it has none.
    ///
    /// - Parameter cache: The cache, the batch or the snapshot to read from.
    /// - Complexity: O(*n*) in the number of cases.
    public func value(in cache: some ReadableCache) -> (any Identifiable & Sendable)? {
        found { $0.value(self, cache) }
    }

    /// Returns the first result of the cases that isn't `nil`.
    private func found<Result>(_ result: (RelationCase<Self>) -> Result?) -> Result {
        for relationCase in Self.cases {
            if let result = result(relationCase) { return result }
        }
        preconditionFailure(
            "\(Self.self).cases lacks the case of \(self). Add a RelationCase for it."
        )
    }
}

extension PolymorphicRelation {
    /// Decodes an object that contains the name of a type and an identifier or a whole entity.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: A `DecodingError` that names the relation if the data isn't an object, lacks the
    ///   name of the type or has an unknown one, or the error of ``Related``.
    public init(from decoder: any Decoder) throws {
        let key = AnyCodingKey(stringValue: Self.discriminator)
        let object: KeyedDecodingContainer<AnyCodingKey>
        let type: String
        do {
            object = try decoder.container(keyedBy: AnyCodingKey.self)
            type = try object.decode(String.self, forKey: key)
        } catch let error as DecodingError {
            let container = try? decoder.container(keyedBy: AnyCodingKey.self)
            // A key strategy of the decoder may have renamed the key.
            let keys = container?.allKeys.map { "\"\($0.stringValue)\"" }.sorted() ?? []
            throw error.prefixed(
                "\(Self.self) needs an object with the key \"\(key.stringValue)\". "
                    + (keys.isEmpty ? "" : "The keys are \(keys.joined(separator: ", ")). ")
            )
        }
        let named = Self.cases.first { $0.type == type }
        guard let found = named ?? Self.cases.first(where: { $0.type == nil }) else {
            let known = Self.cases.compactMap(\.type).map { "\"\($0)\"" }.joined(separator: ", ")
            throw DecodingError.dataCorruptedError(
                forKey: key,
                in: object,
                debugDescription:
                    "\(Self.self): unknown type \"\(type)\". The known types are \(known)."
            )
        }
        self = try found.decode(type, object, decoder)
    }

    /// Encodes an object that contains the name of the type and the identifier.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: An error if the identifier can't be encoded, or if ``cases`` lacks the case.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: AnyCodingKey.self)
        let key = AnyCodingKey(stringValue: Self.discriminator)
        for relationCase in Self.cases {
            guard let type = try relationCase.encode(self, &container) else { continue }
            return try container.encode(type, forKey: key)
        }
        throw EncodingError.invalidValue(
            self,
            EncodingError.Context(
                codingPath: encoder.codingPath,
                debugDescription: "\(Self.self).cases lacks the case of \(self)."
            )
        )
    }
}

/// A case of a ``PolymorphicRelation``, with the name of its type in responses.
public struct RelationCase<Relation: Sendable>: Sendable {
    typealias Object = KeyedDecodingContainer<AnyCodingKey>
    typealias Container = KeyedEncodingContainer<AnyCodingKey>

    /// The name of the type, or `nil` if the case stands for unknown types.
    let type: String?
    /// The type of the entities, or `nil` if the case stands for unknown types.
    let entityType: Any.Type?
    /// Decodes a relation from the name of its type and an object.
    let decode: @Sendable (String, Object, any Decoder) throws -> Relation
    // These closures return `nil` for a relation of another case.
    /// Encodes the identifier, and returns the name of the type.
    let encode: @Sendable (Relation, inout Container) throws -> String?
    let cacheKey: @Sendable (Relation) -> CacheKey?
    let value: @Sendable (Relation, any ReadableCache) -> (any Identifiable & Sendable)??

    /// Creates a case for the entities of a type.
    ///
    /// ## Concurrency
    /// `makeRelation` is called on the thread that decodes the relation. `related` can be called on
    /// any thread and under the writers' lock. Neither may use the cache.
    ///
    /// - Parameters:
    ///   - type: The name of the type.
    ///   - makeRelation: The case, a function from its associated value to the relation.
    ///   - related: A function that returns the associated value of a relation, or `nil` if it has
    ///     another case.
    public init<Value: Identifiable & Sendable>(
        _ type: String,
        _ makeRelation: @escaping @Sendable (Related<Value>) -> Relation,
        _ related: @escaping @Sendable (Relation) -> Related<Value>?
    ) where Value.ID: Codable & Sendable {
        self.type = type
        entityType = Value.self
        decode = { _, object, decoder in
            // An object with nothing but a type and an identifier isn't a partial entity.
            guard object.contains(.id), object.allKeys.count == 2 else {
                return makeRelation(try Related(from: decoder))
            }
            do {
                return makeRelation(Related(try object.decode(Value.ID.self, forKey: .id)))
            } catch let error as DecodingError {
                throw error.prefixed("\(Related<Value>.self): ")
            }
        }
        encode = { relation, container in
            guard let related = related(relation) else { return nil }
            try container.encode(related.id, forKey: .id)
            return type
        }
        cacheKey = { related($0)?.cacheKey }
        value = { relation, cache in
            related(relation).map { $0.value(in: cache) }
        }
    }

    /// Creates the case for types that no other case has.
    ///
    /// Decoding throws an error if the identifier is neither a string nor an integer that fits in
    /// an `Int`. The identifier may be absent or null.
    ///
    /// ## Concurrency
    /// `makeRelation` is called on the thread that decodes the relation. `unknown` can be called on
    /// any thread and under the writers' lock. Neither may use the cache.
    ///
    /// - Parameters:
    ///   - makeRelation: The case, a function from its associated value to the relation.
    ///   - unknown: A function that returns the associated value of a relation, or `nil` if it has
    ///     another case.
    public init(
        unknown makeRelation: @escaping @Sendable (UnknownRelation) -> Relation,
        _ unknown: @escaping @Sendable (Relation) -> UnknownRelation?
    ) {
        type = nil
        entityType = nil
        decode = { type, object, _ in makeRelation(try UnknownRelation(type: type, object)) }
        encode = { relation, container in
            guard let unknown = unknown(relation) else { return nil }
            try unknown.encodeIdentifier(to: &container)
            return unknown.type
        }
        cacheKey = { unknown($0)?.cacheKey }
        value = { relation, _ in unknown(relation).map { _ in nil } }
    }
}

extension PolymorphicRelation {
    /// Returns the type of the entity that the relation refers to, or `nil` if no case has the name
    /// of the type.
    package func entityType(named name: String) -> Any.Type? {
        if !Self.cases.contains(where: { $0.type == name }) { return nil }
        return Self.cases.lazy.compactMap { $0.cacheKey(self) }.first?.type
    }

    /// Returns the name of the first case for entities of a type, or `nil` if there is none.
    package static func caseName(of entityType: Any.Type) -> String? {
        cases.first { $0.entityType == entityType }?.type
    }
}
