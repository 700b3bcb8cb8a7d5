/// An author that any number of novels refer to.
struct Novelist: Identifiable, Sendable {
    let id: Int
    var name: String
    var awards: Int
}
