/// The shape in which a document contains a related entity.
@usableFromInline
enum RelationShape {
    /// The bare identifier.
    case identifier
    /// An object that contains only the key `id`.
    case reference
    /// The whole entity.
    case entity
}
