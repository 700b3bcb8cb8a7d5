/// An author to whom any number of novels refer.
struct Novelist: Identifiable, Sendable {
    let id: Int
    var name: String
    var awards: Int
}
