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
