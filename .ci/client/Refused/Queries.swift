import FlatCache

struct Author: Identifiable, Sendable {
    let id: Int
    var name = ""
}

struct Book: Identifiable, Sendable {
    let id: Int
    var title = ""
    var author: Related<Author>?
}

let cache = Cache()
let query = cache.query(Book.self)

// error: 'filter' has been renamed to 'where(_:)'
let filtered = query.filter { $0.id > 1 }
// error: Sort by a key, and give the direction
let sorted = query.sorted(by: { $0.title < $1.title })
// error: Sort by a key, and give the direction
let named = query.sorted { first, second in first.title > second.title }
// error: Declare an index
let narrowed = query.where(\.author, equals: Related(1))
// error: Declare an index
let titled = query.where(\.title, equals: "Solaris")
// error: 'sorted(by:order:)' has been renamed to 'sorted(by:_:)'
let newest = query.sorted(by: \.title, order: .descending)
// error: 'reverse' has been renamed to 'descending'
let latest = query.sorted(by: \.title, order: .reverse)
// error: 'forward' has been renamed to 'ascending'
let oldest = query.sorted(by: \.title, .forward)
