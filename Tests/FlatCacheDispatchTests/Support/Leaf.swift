/// A value of which caches hold many.
struct Leaf: Identifiable, Sendable {
    let id: Int
}
