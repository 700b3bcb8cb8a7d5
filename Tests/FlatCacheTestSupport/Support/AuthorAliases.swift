import FlatCache

extension CachedAlias where Value == Author {
    static var currentUser: CachedAlias { CachedAlias("currentUser") }
    static var featured: CachedAlias { CachedAlias("featured") }
}

extension CachedAlias where Value == Book {
    static var featured: CachedAlias { CachedAlias("featured") }
}
