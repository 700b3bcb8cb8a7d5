import FlatCache

extension DecodingError {
    /// Returns the same error with the name of a type at the beginning of its description, unless
    /// the description names the type of a related entity.
    func naming(_ type: Any.Type) -> DecodingError {
        if context?.debugDescription.hasPrefix("Related<") ?? true { return self }
        return prefixed("\(type): ")
    }

    var codingPath: [any CodingKey] { context?.codingPath ?? [] }
}
