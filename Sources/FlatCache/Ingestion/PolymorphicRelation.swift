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
    /// An ``UnknownRelation`` has a key, too, which belongs to no entity.
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
