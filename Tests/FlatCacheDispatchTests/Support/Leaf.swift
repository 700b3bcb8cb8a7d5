/// An entity that tests store in large numbers.
struct Leaf: Identifiable, Sendable {
    let id: Int
}
