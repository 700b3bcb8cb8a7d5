/// The rules of a `CountedTree`: the order of its elements, their identifiers, and their summaries.
///
/// The order is total: of two elements, one precedes the other, or they are the same element to the
/// tree.
@usableFromInline
protocol TreeOrder: Sendable {
    associatedtype Element: Sendable
    associatedtype ID: Hashable & Sendable
    associatedtype Summary: Sendable = NoSummary

    /// The maximum number of elements of a leaf.
    static var leafCapacity: Int { get }
    /// The maximum number of children of a branch.
    static var branchCapacity: Int { get }

    func precedes(_ first: Element, _ second: Element) -> Bool
    func id(of element: Element) -> ID

    /// Returns whether an element refers to no objects.
    func isPlain(_ element: Element) -> Bool

    /// The summary of no elements, which changes no summary that it's combined with.
    var emptySummary: Summary { get }
    func summary(of element: Element) -> Summary
    /// Combines the summaries of adjacent elements, associatively.
    func combine(_ first: Summary, _ second: Summary) -> Summary
}

extension TreeOrder {
    // Measurements determined these numbers. An edit copies one leaf and the branches above it, and
    // counts a reference for each child of a copied branch, so branches are smaller than leaves.
    // With leaves of 64 elements and branches of 16 children, edits execute a tenth more
    // instructions, and miss the processor's cache a quarter more often.
    @usableFromInline static var leafCapacity: Int { 48 }
    @usableFromInline static var branchCapacity: Int { 8 }

    @usableFromInline func isPlain(_ element: Element) -> Bool { false }

    /// A Boolean value that indicates whether the tree has to compute summaries.
    @usableFromInline static var isSummarizing: Bool { Summary.self != NoSummary.self }
}

extension TreeOrder where Summary == NoSummary {
    @usableFromInline var emptySummary: NoSummary { NoSummary() }
    @usableFromInline func summary(of element: Element) -> NoSummary { NoSummary() }
    @usableFromInline func combine(_ first: NoSummary, _ second: NoSummary) -> NoSummary { first }
}
