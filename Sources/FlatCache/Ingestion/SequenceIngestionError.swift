/// An error that reports an element of an asynchronous sequence that couldn't be read.
///
/// ```swift
/// let (stream, continuation) = AsyncThrowingStream.makeStream(of: Book.self)
/// continuation.finish(throwing: CancellationError())
/// do {
///     try await cache.ingest(contentsOf: stream)
/// } catch let error as SequenceIngestionError {
///     print("\(error.storedCount) books are stored; the next one: \(error.underlyingError)")
/// }
/// ```
///
/// `Cache.ingest(contentsOf:perCommit:modifiedAt:isolation:progress:)` throws it with the error
/// of the sequence. To continue after the elements that are stored, begin again with the element at
/// ``storedCount``.
public struct SequenceIngestionError: Error, Sendable {
    /// The name of the type of the elements.
    public let elementType: String
    /// The position of the element in the sequence, counted from zero.
    public let position: Int
    /// The number of elements in the commits before the error, which are stored.
    public let storedCount: Int
    /// The error that the sequence threw.
    public let underlyingError: any Error

    init(elementType: Any.Type, position: Int, storedCount: Int, underlyingError: any Error) {
        self.elementType = "\(elementType)"
        self.position = position
        self.storedCount = storedCount
        self.underlyingError = underlyingError
    }
}

extension SequenceIngestionError: CustomStringConvertible {
    /// A message that names the type, the position, and the error of the sequence.
    public var description: String {
        """
        The \(elementType) at position \(position) of a sequence could not be read, after \
        \(storedCount) had been stored: \(underlyingError)
        """
    }
}
