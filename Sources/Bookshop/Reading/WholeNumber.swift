/// A whole number in a response, whose decoding errors have a coding path.
///
/// If a number such as `1965.5` or one of fifty digits doesn't fit in an `Int`, Foundation's
/// decoder reports the whole text as invalid, without a coding path.
struct WholeNumber: Decodable {
    let value: Int

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            value = try container.decode(Int.self)
        } catch let error as DecodingError where !error.isWithoutPlace {
            throw error
        } catch {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "Expected a whole number that fits in \(Int.bitWidth) bits."
            )
        }
    }
}

extension DecodingError {
    fileprivate var isWithoutPlace: Bool {
        guard case .dataCorrupted(let context) = self else { return false }
        return context.codingPath.isEmpty
    }
}
