import FlatCache
import FlatCachePersistence

extension StorageCheck {
    /// Checks that a value that is remembered until the next announcement is always current.
    func checkAnnouncements() throws {
        guard storage.announcesEveryChange else { return }
        let received = makeReceivedValues()
        let token = listen(received)
        let persister = Persister<Base.Value?>(key: key, storedBy: storage)
        var changes: [(name: String, make: (Base.Value?) throws -> Void)] = [
            ("this storage", { try set($0, in: storage) })
        ]
        if let other = another?() {
            changes.append(("another storage", { try set($0, in: other) }))
        }
        if let change { changes.append(("`change`", { try change($0, key) })) }
        _ = try persister.retrieveValueOrThrow()
        var expected: [Base.Value?] = []
        for (name, make) in changes {
            for value in [first, second, nil] {
                try make(value)
                expected.append(value)
                try expect(
                    try persister.retrieveValueOrThrow(),
                    value,
                    "the value remembered after \(name) changed it"
                )
                try received.expect(expected, "each change at once")
            }
        }
        token.dispose()
    }

    private func set(_ value: Base.Value?, in storage: Base) throws {
        if let value {
            try storage.storeValue(value, key: key)
        } else {
            try storage.removeValue(for: key)
        }
    }
}
