import FlatCache

/// A resource object of a document.
final class Resource {
    enum Key: CodingKey {
        case type, id, attributes, relationships
    }

    let object: KeyedDecodingContainer<Key>
    let identifier: ResourceIdentifier
    var progress = ResourceProgress()

    /// Reads the identifier of a resource object.
    init(_ object: KeyedDecodingContainer<Key>, ofType type: String) throws {
        self.object = object
        do {
            let id = try object.decode(String.self, forKey: .id)
            identifier = ResourceIdentifier(type: type, id: id)
        } catch let error as DecodingError {
            throw error.prefixed("The member \"id\" of a resource of the type \"\(type)\": ")
        }
    }

    /// Returns a description of a resource object whose type isn't listed.
    static func description(ofUnlisted decoder: any Decoder) -> String {
        if let identifier = try? ResourceIdentifier(from: decoder) { return "\(identifier)" }
        let object = try? decoder.container(keyedBy: Key.self)
        let type = try? object?.decode(String.self, forKey: .type)
        return "a resource \"\(type ?? "")\""
    }

    /// `true` if the object identifies a resource and has no content.
    var isIdentifier: Bool {
        !object.contains(.attributes) && !object.contains(.relationships)
    }

    /// Adds the type of the entity, the resource and the member to the description of an error,
    /// unless the description names them.
    ///
    /// The result contains an error of the model itself as the underlying error.
    func describing(_ error: any Error, in entityType: Any.Type) -> DecodingError {
        guard let error = error as? DecodingError else {
            return .dataCorrupted(
                DecodingError.Context(
                    codingPath: object.codingPath,
                    debugDescription: "\(entityType): \(identifier): \(error)",
                    underlyingError: error
                )
            )
        }
        let description = error.context?.debugDescription ?? ""
        if description.hasPrefix("\(entityType): "), description.contains("\(identifier)") {
            return error
        }
        var path = error.codingPath.dropFirst(object.codingPath.count).map(\.stringValue)
        if case .keyNotFound(let key, _) = error { path.append(key.stringValue) }
        let containers = [Key.attributes.stringValue, Key.relationships.stringValue]
        if path.count > 1, containers.contains(path[0]) { path.removeFirst() }
        let member = path.first.map { "the member \"\($0)\" of " } ?? ""
        return error.prefixed("\(entityType): \(member)\(identifier): ")
    }
}

struct ResourceIdentifier: Decodable, CustomStringConvertible {
    let type: String
    let id: String

    var description: String { "the resource \"\(type)\" with the id \"\(id)\"" }
}

/// The progress of a primary resource on its way to the cache.
///
/// The type of the primary data decides how it reads a resource. A resource that it accepts without
/// decoding the entity is still to be collected.
struct ResourceProgress {
    private enum State {
        case pending
        /// The entity is decoded, and the scope of the ingest has received it.
        case collected
        /// The entity can't be decoded.
        case malformed
        /// The last value that was read from the resource couldn't be decoded.
        case rejected
    }

    private var state = State.pending
    /// The number of successful reads.
    ///
    /// A value that reads nothing, such as one that skips an element, doesn't change the state.
    private var readCount = 0

    /// `true` if the entity is to be collected at the end.
    var isPending: Bool { state == .pending }

    mutating func countRead() { readCount += 1 }

    /// Rejects the resource because its entity has another type than a value.
    ///
    /// Unlike other errors, this one counts as a read: a type that tries one entity type after
    /// another can accept the resource nevertheless.
    mutating func recordMismatch() {
        reject()
        readCount += 1
    }

    mutating func markCollected() { state = .collected }

    mutating func recordMalformed() {
        if state != .collected { state = .malformed }
    }

    /// Records that a value that began at a state was decoded.
    mutating func accept(since start: ResourceProgress) {
        if state == .rejected, readCount > start.readCount { state = .pending }
    }

    /// Records that a value that began at a state couldn't be decoded.
    mutating func reject(since start: ResourceProgress) {
        reject()
        readCount = start.readCount
    }

    private mutating func reject() {
        if state == .pending { state = .rejected }
    }
}

/// A decoder of a resource's content for an entity.
///
/// It shows the identifier, the attributes and the relationships as one object.
struct ResourceDecoder: ValueDecoder {
    let resource: Resource
    let store: ResourceStore

    var codingPath: [any CodingKey] { resource.object.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { store.userInfo }
    var isNull: Bool { false }

    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if ContainerTypes.contains(type) { throw mismatch(type, "The data is a resource.") }
        return try Value(from: self)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(try ResourceContainer(resource, store))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw mismatch([Never].self, "The data is one resource, not an array.")
    }
}

/// An element of the primary data that has no usable type or identifier.
final class MalformedResource {
    let error: any Error
    let codingPath: [any CodingKey]
    /// `true` if a type has asked for the element, and has received the error.
    private(set) var isReported = false

    init(_ error: any Error, codingPath: [any CodingKey]) {
        self.error = error
        self.codingPath = codingPath
    }

    /// Returns the error for a type that asks for the element.
    func report() -> any Error {
        isReported = true
        return error
    }
}
