import FlatCache
import FlatCachePersistence

extension StorageCheck {
    func checkNotifications() throws {
        let received = [makeReceivedValues(), makeReceivedValues()]
        let tokens = received.map { listen($0) }
        try storage.storeValue(first, key: key)
        try received[0].expect([first], "the first write")
        try storage.storeValue(second, key: key)
        try storage.storeValue(second, key: otherKey)
        try storage.storeValue(first, key: key)
        for received in received { try received.expect([first, second, first], "all writes") }
        for token in tokens { token.dispose() }
    }

    func checkNotificationsOfRemovals() throws {
        try storage.storeValue(first, key: key)
        let received = makeReceivedValues()
        let token = listen(received)
        try storage.removeValue(for: key)
        try received.expect([nil], "the removal")
        token.dispose()
    }

    func checkExistingValue() throws {
        try storage.storeValue(first, key: key)
        let received = makeReceivedValues()
        let token = listen(received)
        _ = try read()
        try received.expect([], "no value")
        token.dispose()
    }

    func checkReentrantListener() throws {
        let received = makeReceivedValues()
        let reads = makeReceivedValues()
        let token = storage.addUpdateListener(forKey: key) { [self] value in
            received.append(value)
            do {
                reads.append(try read())
                if value == first { try storage.storeValue(second, key: key) }
                if value == second { try storage.removeValue(for: key) }
            } catch {
                received.fail(error)
            }
        }
        try storage.storeValue(first, key: key)
        try received.expect([first, second, nil], "the write and its own writes")
        try reads.expect([first, second, nil], "the same values in its own reads")
        try expect(try read(), nil, "the final value")
        token.dispose()
    }

    func checkTokens() throws {
        let received = makeReceivedValues()
        let receivedByOther = makeReceivedValues()
        let token = listen(received)
        let other = listen(receivedByOther)
        token.dispose()
        token.dispose()
        _ = listen(received)
        try storage.storeValue(first, key: key)
        try received.expect([], "no value after its end")
        try receivedByOther.expect([first], "a write after another listener's end")
        other.dispose()
        let own = Locked<Disposable?>(nil)
        let inside = storage.addUpdateListener(forKey: key) { value in
            received.append(value)
            own.withLock { $0 }?.dispose()
        }
        own.withLock { $0 = inside }
        try storage.storeValue(second, key: key)
        try storage.storeValue(first, key: key)
        try received.expect([second], "only the value before it ended itself")
        own.withLock { $0.take() }?.dispose()
    }

    func checkOtherStorage() throws {
        guard let another else { return }
        let other = another()
        let received = makeReceivedValues()
        let receivedByOther = makeReceivedValues()
        let tokens = [
            listen(received),
            other.addUpdateListener(forKey: key) { receivedByOther.append($0) },
        ]
        try storage.storeValue(first, key: key)
        try expect(try other.retrieveValue(for: key), first, "the value that another storage reads")
        receivedByOther.wait(for: 1)
        try other.storeValue(second, key: key)
        try expect(try read(), second, "the value read after another storage's write")
        received.wait(for: 2)
        try other.removeValue(for: key)
        for received in [received, receivedByOther] {
            received.wait(for: 3)
            try received.expect([first, second, nil], "the writes of both storages")
        }
        for token in tokens { token.dispose() }
    }
}
