/// A search that compares the elements of a short array one by one.
@usableFromInline
enum LinearSearch {
    /// The greatest number of elements for which a linear search is used.
    ///
    /// Sorting or hashing more elements than this is faster than comparing each with each.
    @inlinable static var maximumCount: Int { 8 }
}
