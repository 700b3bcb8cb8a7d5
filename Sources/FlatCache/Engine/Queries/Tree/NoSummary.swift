/// The summary of the elements of a tree that summarizes nothing.
@usableFromInline
struct NoSummary: Equatable, Sendable {
    @usableFromInline init() {}
}
