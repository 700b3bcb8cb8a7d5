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
