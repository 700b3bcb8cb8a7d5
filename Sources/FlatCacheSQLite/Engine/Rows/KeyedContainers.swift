#if canImport(SQLite3) || canImport(CSQLite)
/// The keyed containers of a writer, by the types of their keys.
///
/// A container has no state besides its writer. The writer therefore uses one container for all
/// values with these keys. Making a container takes about as long as encoding five properties.
struct KeyedContainers {
    private final class Kept<Key: CodingKey> {
        let container: KeyedEncodingContainer<Key>

        init(_ container: KeyedEncodingContainer<Key>) { self.container = container }
    }

    private var containers: [(keyType: ObjectIdentifier, kept: AnyObject)] = []

    /// Returns the container for keys of a type, with a strong reference to the writer.
    mutating func container<Key: CodingKey>(
        _ keyType: Key.Type,
        for writer: RowWriter
    ) -> KeyedEncodingContainer<Key> {
        let identifier = ObjectIdentifier(keyType)
        for known in containers where known.keyType == identifier {
            // The type of the keys determines the type of the object.
            return unsafeDowncast(known.kept, to: Kept<Key>.self).container
        }
        let container = Self.makeContainer(keyType, for: writer)
        containers.append((identifier, Kept(container)))
        return container
    }

    static func makeContainer<Key: CodingKey>(
        _ keyType: Key.Type,
        for writer: RowWriter
    ) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(RowKeyedEncodingContainer(writer: writer))
    }
}
#endif
