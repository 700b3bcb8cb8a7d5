import FlatCache

/// A value that calls a closure when it's encoded.
struct EncodedNote: Identifiable, Codable, Hashable, Sendable {
    /// The closures by the identifiers of the notes, which differ between tests.
    private static let closures = Locked<[Int: @Sendable () -> Void]>([:])

    private enum CodingKeys: CodingKey { case id }

    let id: Int

    init(id: Int) { self.id = id }

    /// Sets the closure that the next encoding of a note calls.
    static func onEncoding(of id: Int, _ body: @escaping @Sendable () -> Void) {
        closures.withLock { $0[id] = body }
    }

    func encode(to encoder: any Encoder) throws {
        Self.closures.withLock { $0.removeValue(forKey: id) }?()
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
    }
}
