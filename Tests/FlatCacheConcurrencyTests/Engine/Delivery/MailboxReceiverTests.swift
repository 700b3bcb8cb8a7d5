import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.exclusive, .timeLimit(.minutes(15)))
struct MailboxReceiverTests {
    @Test func elementsAreReceivedInOrder() async {
        let sender = Locked<MailboxSender<Int>?>(nil)
        let receiver = MailboxReceiver<Int>(.unbounded) { new in
            sender.withLock { $0 = new }
            return Disposable {}
        }
        let current = sender.withLock { $0 }
        current?.send(1)
        for element in [2, 3] { current?.send(element) }
        for expected in 1...3 {
            let received = await receiver.next(isolation: nil)
            #expect(received == expected)
        }
    }

    @Test func receiverEndsWhenTheSenderIsReleased() async {
        let receiver = MailboxReceiver<Int>(.unbounded) { sender in
            sender.send(1)
            return Disposable {}
        }
        for expected in [1, nil, nil] {
            let received = await receiver.next(isolation: nil)
            #expect(received == expected)
        }
    }

    @Test func observationEndsWhenTheReceiverIsReleased() {
        let disposals = Recorder<String>()
        var receiver: MailboxReceiver<Int>?
        receiver = MailboxReceiver(.unbounded) { _ in Disposable { disposals.append("disposed") } }
        #expect(receiver != nil)
        #expect(disposals.all.isEmpty)
        receiver = nil
        #expect(disposals.all == ["disposed"])
    }

    /// The ways in which a mailbox discards an element that no consumer has taken.
    enum Way: CaseIterable {
        case displacing, displacingWithSeveral, droppingTheReceiver
    }

    @Test(arguments: Way.allCases)
    func discardedElementsAreReleasedUnderNoLock(way: Way) {
        let isReleased = Signal()
        let sender = Locked<MailboxSender<Receipt>?>(nil)
        let receiver = Locked<MailboxReceiver<Receipt>?>(
            MailboxReceiver(.newest(1)) { new in
                sender.withLock { $0 = new }
                return Disposable {}
            }
        )
        let thread = RunningThread {
            let current = sender.withLock { $0 }
            current?.send(
                Receipt {
                    // The mailbox's lock must be free: `send` takes it.
                    sender.withLock { $0 }?.send(Receipt())
                    isReleased.fire()
                }
            )
            switch way {
            case .displacing: current?.send(Receipt())
            case .displacingWithSeveral: for _ in 0..<2 { current?.send(Receipt()) }
            case .droppingTheReceiver: _ = receiver.withLock { $0.take() }
            }
        }
        #expect(thread.wait())
        #expect(isReleased.isFired)
    }
}
