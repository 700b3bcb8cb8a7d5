#if Macros
import FlatCache

/// A relation to an author, or to an entity of an unknown type.
enum OwnerRef: PolymorphicRelation {
    case author(Related<Author>), other(UnknownRelation)

    static let cases = [
        RelationCase("Author", OwnerRef.author) {
            if case .author(let author) = $0 { author } else { nil }
        },
        RelationCase(unknown: OwnerRef.other) {
            if case .other(let other) = $0 { other } else { nil }
        },
    ]
}
#endif
