import FlatCache

extension CacheType {
    var currentUser: CachedAlias<Author> { alias("currentUser", of: Author.self) }
    var featuredAuthor: CachedAlias<Author> { alias("featured", of: Author.self) }
    var featuredBook: CachedAlias<Book> { alias("featured", of: Book.self) }
}
