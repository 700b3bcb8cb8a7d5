/// An error that reports an entity of an asynchronous sequence that couldn't be read.
///
/// `Cache.ingest(contentsOf:perCommit:modifiedAt:isolation:progress:)` throws it with the error
/// of the sequence. To continue after the entities that are stored, begin again with the element at
/// ``storedCount``.
public struct SequenceIngestionError: Error, Sendable {
    /// The name of the type of the entities.
    public let entityType: String
    /// The position of the entity in the sequence, counted from zero.
    public let position: Int
    /// The number of entities that are stored: those of the commits before the error.
    public let storedCount: Int
    /// The error that the sequence threw.
    public let underlyingError: any Error

    init(entityType: Any.Type, position: Int, storedCount: Int, underlyingError: any Error) {
        self.entityType = "\(entityType)"
        self.position = position
        self.storedCount = storedCount
        self.underlyingError = underlyingError
    }
}

extension SequenceIngestionError: CustomStringConvertible {
    /// A message that names the type, the position, and the error of the sequence.
    public var description: String {
        """
        The \(entityType) at position \(position) of a sequence could not be read, after \
        \(storedCount) had been stored: \(underlyingError)
        """
    }
}
