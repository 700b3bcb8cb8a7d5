#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A decoder that decodes values from data, such as `JSONDecoder`.
///
/// `JSONDecoder` and `PropertyListDecoder` conform. To ingest another format, let its decoder
/// conform, too:
///
/// <!-- prelude: ingesting -->
/// ```swift
/// import Foundation
///
/// struct ReversedJSONDecoder: DataDecoder {
///     func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
///         try JSONDecoder().decode(type, from: Data(data.reversed()))
///     }
/// }
///
/// let reversed = Data(data.reversed())
/// try cache.ingest(Page.self, from: reversed, decoder: ReversedJSONDecoder())
/// ```
public protocol DataDecoder {
    /// Decodes a value from data in the decoder's format.
    ///
    /// - Parameters:
    ///   - type: The type of the value to decode.
    ///   - data: The encoded value.
    /// - Returns: The decoded value.
    /// - Throws: An error if the data doesn't contain a value of the type.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension JSONDecoder: DataDecoder {}

extension PropertyListDecoder: DataDecoder {}

extension DataDecoder {
    /// Decodes a value, and names its type in the description of an error.
    func decodeNamed<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        do {
            return try decode(type, from: data)
        } catch let error as DecodingError {
            throw error.naming(type)
        }
    }
}
