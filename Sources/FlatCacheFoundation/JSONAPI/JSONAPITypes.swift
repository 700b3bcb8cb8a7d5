public import FlatCache

/// The Swift types of the resources in JSON:API documents, by the names of their types.
///
/// ```swift
/// struct Song: CacheEntity, Codable { let id: Int; var title: String }
/// struct Singer: CacheEntity, Codable { let id: String; var name: String }
///
/// let types: JSONAPITypes = ["songs": Song.self, "singers": Singer.self]
/// ```
///
/// A type can have several names. A document may contain resources of other types. An ingest skips
/// and counts them.
public struct JSONAPITypes: Sendable, ExpressibleByDictionaryLiteral {
    private let types: [String: any (CacheEntity & Decodable).Type]

    /// Creates a list of types.
    ///
    /// - Parameter types: The types by name.
    public init(_ types: [String: any (CacheEntity & Decodable).Type]) { self.types = types }

    /// Creates a list of types.
    ///
    /// - Parameter elements: The names with their types. A name must not occur twice.
    public init(dictionaryLiteral elements: (String, any (CacheEntity & Decodable).Type)...) {
        var types: [String: any (CacheEntity & Decodable).Type] = [:]
        for (name, type) in elements {
            if let first = types.updateValue(type, forKey: name) {
                preconditionFailure(
                    """
                    \(first) and \(type) have the same name "\(name)" in JSON:API documents. Remove \
                    one of them.
                    """
                )
            }
        }
        self.types = types
    }

    subscript(name: String) -> (any (CacheEntity & Decodable).Type)? { types[name] }
}
