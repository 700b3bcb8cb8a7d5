import FlatCache
import Foundation
import Testing

@testable import FlatCachePersistence

/// A recorder of the watched keys.
private final class Watcher: Sendable {
    let begun = Recorder<String>()
    let ended = Recorder<String>()

    func channels() -> StorageChannels<String, Int> {
        StorageChannels { key, _ in
            self.begun.append(key)
            return Disposable { self.ended.append(key) }
        }
    }
}

struct StorageChannelsTests {
    private let watcher = Watcher()
    private let received = Recorder<Int?>()
    private let channels: StorageChannels<String, Int>

    private struct Refusal: Error {}

    init() {
        channels = watcher.channels()
    }

    private func listen(_ key: String = "a", stored: Int? = nil) -> Disposable {
        channels.addUpdateListener(forKey: key, read: { stored }, updateListener: received.append)
    }

    // MARK: Watching

    @Test func keyIsWatchedWhileItHasAListener() {
        channels.write(1, forKey: "a") {}
        #expect(watcher.begun.all == [])
        let first = listen()
        let second = listen()
        let other = listen("b")
        #expect(watcher.begun.all == ["a", "b"])
        first.dispose()
        #expect(watcher.ended.all == [])
        second.dispose()
        #expect(watcher.ended.all == ["a"])
        other.dispose()
        #expect(watcher.ended.all == ["a", "b"])
        #expect(channels.openKeys() == [])
        listen().dispose()
        #expect(watcher.begun.all == ["a", "b", "a"])
    }

    @Test func lastLeaseDiscardsTheKnownValue() throws {
        var lease: ChannelLease? = channels.open("a")
        #expect(try lease?.channel.load { 1 }.value == 1)
        #expect(try lease?.channel.load { 2 }.value == 1)
        lease?.close()
        lease = channels.open("a")
        #expect(try lease?.channel.load { 2 }.value == 2)
        lease?.close()
    }

    // MARK: Three-way

    @Test func externalChangeNotifiesListenersIfTheStoredValueDiffers() {
        let listening = listen(stored: 1)
        channels.checkForExternalChange(forKey: "a") { 1 }
        #expect(received.all == [])
        channels.checkForExternalChange(forKey: "a") { 2 }
        channels.checkForExternalChange(forKey: "a") { 2 }
        channels.checkForExternalChange(forKey: "a") { nil }
        channels.checkForExternalChange(forKey: "a") { nil }
        #expect(received.all == [2, nil])
        withExtendedLifetime(listening) {}
    }

    @Test func eventOfOnesOwnWriteIsNoChange() {
        let listening = listen(stored: 1)
        channels.write(2, forKey: "a") {}
        channels.checkForExternalChange(forKey: "a") { 2 }
        #expect(received.all == [2])
        withExtendedLifetime(listening) {}
    }

    @Test func oldStoredValueDoesNotReplaceANewerOneInMemory() throws {
        let lease = channels.open("a")
        _ = try lease.channel.load { 1 }
        lease.channel.setUnsaved(2, because: Refusal())
        channels.checkForExternalChange(forKey: "a") { 1 }
        #expect(try lease.channel.load { 9 }.value == 2)
        #expect(try channels.read(forKey: "a") { 1 } == 2)
        // Other code has written a different value since, which is newer.
        channels.checkForExternalChange(forKey: "a") { 3 }
        #expect(try lease.channel.load { 9 }.value == 3)
        lease.close()
    }

    @Test func externalChangeToTheValueInMemoryNotifiesNoListener() throws {
        let listening = listen(stored: 1)
        let lease = channels.open("a")
        lease.channel.setUnsaved(2, because: Refusal())
        channels.checkForExternalChange(forKey: "a") { 2 }
        #expect(received.all == [])
        channels.checkForExternalChange(forKey: "a") { 1 }
        #expect(received.all == [1])
        lease.close()
        withExtendedLifetime(listening) {}
    }

    @Test func unsavedValueIsNewerThanAnUnreadStoredValue() throws {
        let lease = channels.open("a")
        lease.channel.setUnsaved(9, because: Refusal())
        channels.checkForExternalChange(forKey: "a") { nil }
        #expect(try lease.channel.load { 1 }.value == 9)
        channels.checkForExternalChange(forKey: "a") { 2 }
        #expect(try lease.channel.load { 1 }.value == 2)
        lease.close()
    }

    @Test func errorNotifiesListenersAndChangesNoValue() throws {
        let lease = channels.open("a")
        let failures = Recorder<Bool>()
        let listening = lease.channel.addListener(delivery: .inline) { event in
            if case .failed(let error) = event { failures.append(error is Refusal) }
        }
        _ = try lease.channel.load { 1 }
        channels.checkForExternalChange(forKey: "a") { throw Refusal() }
        #expect(failures.all == [true])
        #expect(try lease.channel.load { 9 }.value == 1)
        listening.dispose()
        lease.close()
    }

    @Test func recoveryNotifiesListenersThatReceivedTheError() {
        let listening = listen(stored: 1)
        channels.checkForExternalChange(forKey: "a") { throw Refusal() }
        channels.checkForExternalChange(forKey: "a") { 1 }
        channels.checkForExternalChange(forKey: "a") { 1 }
        #expect(received.all == [1])
        withExtendedLifetime(listening) {}
    }

    @Test func externalChangeOfAnUnusedKeyReadsNoMedium() {
        let reads = Recorder<Int>()
        channels.checkForExternalChange(forKey: "a") {
            reads.append(1)
            return 1
        }
        #expect(reads.count == 0)
    }

    // MARK: Writing

    @Test func failedWriteNotifiesNoListener() throws {
        let listening = listen(stored: 1)
        #expect(throws: Refusal.self) {
            try channels.write(2, forKey: "a") { throw Refusal() }
        }
        #expect(received.all == [])
        #expect(try channels.read(forKey: "a") { 1 } == 1)
        withExtendedLifetime(listening) {}
    }

    @Test func valuesThatAreNotEquatableNotifyListenersEachTime() {
        let channels = StorageChannels<String, Int>(areEqual: { _, _ in false })
        let listening = channels.addUpdateListener(
            forKey: "a",
            read: { nil },
            updateListener: received.append
        )
        channels.write(1, forKey: "a") {}
        channels.write(1, forKey: "a") {}
        channels.write(nil, forKey: "a") {}
        channels.write(nil, forKey: "a") {}
        #expect(received.all == [1, 1, nil])
        withExtendedLifetime(listening) {}
    }
}
