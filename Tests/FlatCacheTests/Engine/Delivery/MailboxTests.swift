import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct MailboxTests {
    @Test func elementsAreTakenInTheOrderInWhichTheyWerePut() {
        var mailbox = Mailbox<Int>(.unbounded)
        var taken: [Int] = []
        for element in 0..<1000 {
            _ = mailbox.put(element)
            if element.isMultiple(of: 3), let first = mailbox.take() { taken.append(first) }
        }
        #expect(mailbox.count == 1000 - taken.count)
        while let element = mailbox.take() { taken.append(element) }
        #expect(taken == Array(0..<1000))
        #expect(mailbox.count == 0)
    }

    @Test func newestAreKeptAndTheOthersHandedBack() {
        var mailbox = Mailbox<Int>(.newest(3))
        let displaced = (0..<10).map { mailbox.put($0).displaced }
        #expect(displaced == [nil, nil, nil, 0, 1, 2, 3, 4, 5, 6])
        #expect((0..<4).map { _ in mailbox.take() } == [7, 8, 9, nil])
    }

    @Test func oldestAreKeptAndLaterOnesLetInWhenThereIsRoom() {
        var mailbox = Mailbox<Int>(.oldest(3))
        for element in 0..<10 { #expect(mailbox.put(element).displaced == nil) }
        #expect(mailbox.take() == 0)
        _ = mailbox.put(10)
        _ = mailbox.put(11)
        #expect((0..<4).map { _ in mailbox.take() } == [1, 2, 10, nil])
    }

    @Test func consumerThatWaitsGetsTheNextElementAndOnlyThat() async {
        var mailbox = Mailbox<Int>(.newest(1))
        let received = await withUnsafeContinuation { waiter in
            #expect(mailbox.wait(waiter) == nil)
            let first = mailbox.put(1)
            #expect(mailbox.put(2).resumption == nil)
            first.resumption?()
        }
        #expect(received == 1)
        #expect(mailbox.take() == 2)
    }

    @Test func consumerThatWaitsIsWokenByTheEnd() async {
        var mailbox = Mailbox<Int>(.unbounded)
        let received = await withUnsafeContinuation { waiter in
            #expect(mailbox.wait(waiter) == nil)
            mailbox.end()?()
        }
        #expect(received == nil)
        #expect(mailbox.end() == nil, "The consumer is woken once.")
    }

    @Test func bufferedElementsCanBeTakenAfterTheEnd() async {
        var mailbox = Mailbox<Int>(.unbounded)
        _ = mailbox.put(1)
        _ = mailbox.end()
        _ = mailbox.put(2)
        for expected in [1, nil, nil] {
            let received = await withUnsafeContinuation { mailbox.wait($0)?() }
            #expect(received == expected)
        }
    }

    @Test func cancellingReturnsTheBufferedElements() async {
        var mailbox = Mailbox<Int>(.unbounded)
        for element in 1...5 { _ = mailbox.put(element) }
        _ = mailbox.take()
        #expect(mailbox.cancel().displaced.compactMap(\.self) == [2, 3, 4, 5])
        #expect(mailbox.hasEnded)
        #expect(mailbox.count == 0)
        let received = await withUnsafeContinuation { mailbox.wait($0)?() }
        #expect(received == nil)
    }

    @Test func takenElementIsNotKept() {
        var mailbox = Mailbox<Receipt>(.unbounded)
        weak var weakReceipt: Receipt?
        do {
            let receipt = Receipt()
            weakReceipt = receipt
            _ = mailbox.put(receipt)
        }
        for _ in 0..<5 { _ = mailbox.put(Receipt()) }
        #expect(weakReceipt != nil)
        _ = mailbox.take()
        #expect(weakReceipt == nil)
        #expect(mailbox.count == 5)
    }
}
