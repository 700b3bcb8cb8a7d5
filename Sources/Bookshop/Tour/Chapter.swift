/// A chapter of the tour.
struct Chapter {
    let title: String
    let body: () async throws -> Void

    init(_ title: String, _ body: @escaping () async throws -> Void) {
        self.title = title
        self.body = body
    }
}
