/// A subtree of a `CountedTree`, as the branch above it knows it.
@usableFromInline
struct TreeChild<Element, Summary> {
    /// The root of the subtree, a `TreeNode` of elements or of children.
    ///
    /// All leaves have the same depth, so the height of the subtree determines the type, and the
    /// class needn't be checked.
    @usableFromInline var node: AnyObject
    /// The number of elements.
    @usableFromInline var count: Int
    /// The first element.
    @usableFromInline var first: Element
    /// The summary of the elements.
    @usableFromInline var summary: Summary

    @usableFromInline typealias Leaf = TreeNode<Element>
    @usableFromInline typealias Branch = TreeNode<TreeChild>

    @usableFromInline
    init(node: AnyObject, count: Int, first: Element, summary: Summary) {
        self.node = node
        self.count = count
        self.first = first
        self.summary = summary
    }

    /// The root of a subtree of height zero.
    @usableFromInline var leaf: Leaf { unsafeDowncast(node, to: Leaf.self) }

    /// The root of a subtree whose height is greater than zero.
    @usableFromInline var branch: Branch { unsafeDowncast(node, to: Branch.self) }

    /// The number of items of the root.
    @usableFromInline
    func itemCount(height: Int) -> Int { height == 0 ? count : branch.count }

    /// Returns a Boolean value that indicates whether this is the only reference to the root.
    @usableFromInline
    mutating func isUnshared() -> Bool {
        // In a direct call, the compiler would open the existential, which adds a reference.
        let isUnique: (inout AnyObject) -> Bool = isKnownUniquelyReferenced
        return isUnique(&node)
    }
}
