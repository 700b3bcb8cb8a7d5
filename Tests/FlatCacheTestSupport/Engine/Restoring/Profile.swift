@testable import FlatCache

/// A mergeable entity with optional parts.
struct Profile: Identifiable, Hashable, Sendable, Mergeable {
    let id: Int
    var name: String?
    var mail: String?

    func merged(with newer: Profile) -> Profile {
        Profile(id: id, name: newer.name ?? name, mail: newer.mail ?? mail)
    }
}
