import FlatCache
import Foundation
import Testing

@testable import FlatCachePersistence

/// Several threads that use the same channels.
@Suite(.exclusive)
struct StorageChannelsThreadsTests {
    private let received = Recorder<Int?>()
    private let channels = StorageChannels<String, Int>()

    private func listen(stored: Int? = nil) -> Disposable {
        channels.addUpdateListener(forKey: "a", read: { stored }, updateListener: received.append)
    }

    @Test func writesOfDifferentKeysDoNotBlockEachOther() async {
        let inside = Signal()
        let goOn = Signal()
        let thread = RunningThread { [channels] in
            channels.write(1, forKey: "a") {
                inside.fire()
                _ = goOn.wait()
            }
        }
        #expect(await until { inside.isFired })
        channels.write(2, forKey: "b") {}
        goOn.fire()
        #expect(await until { thread.hasEnded })
    }

    @Test func writesOfOneKeyTakeTurnsAndReadersSeeWholeOnes() async {
        let medium = Locked((value: 0, inside: 0, most: 0))
        let listening = listen()
        let ended = await withThreads(4) { [channels] index in
            for step in 1...200 {
                channels.write(index * 1000 + step, forKey: "a") {
                    medium.withLock { $0.inside += 1 }
                    medium.withLock { $0.most = max($0.most, $0.inside) }
                    medium.withLock { $0.value = index * 1000 + step }
                    medium.withLock { $0.inside -= 1 }
                }
            }
        }
        #expect(ended)
        #expect(medium.withLock { $0.most } == 1)
        // A thread of the delivery queue may make the last calls after the writers have returned.
        #expect(await until { received.count == 800 })
        #expect(received.all.last == medium.withLock { $0.value })
        withExtendedLifetime(listening) {}
    }

    @Test func listenerThatEndsDuringAWaitIsNotCalledAgain() async {
        let calls = Recorder<Int>()
        for _ in 0..<200 {
            let token = listen(stored: 0)
            let counting = channels.addUpdateListener(forKey: "a", read: { 0 }) { _ in
                calls.append(1)
            }
            let writer = RunningThread { [channels] in
                for value in 1...5 { channels.write(value, forKey: "a") {} }
                channels.write(0, forKey: "a") {}
            }
            counting.dispose()
            let count = calls.count
            #expect(await until { writer.hasEnded })
            // A call that had begun may still be running, but no new one begins.
            #expect(calls.count <= count + 1)
            token.dispose()
        }
    }
}
