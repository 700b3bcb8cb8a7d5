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
