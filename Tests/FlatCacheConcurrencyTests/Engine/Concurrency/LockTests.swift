import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.exclusive)
struct LockTests {
    struct Refusal: Error {}

    @Test func guardedStateIsChangedByOneThreadAtATime() {
        let state = Locked((first: 0, second: 0))
        let torn = Recorder<Int>()
        let ended = onThreads(4) { _ in
            for _ in 0..<2_000 {
                state.withLock { state in
                    if state.first != state.second { torn.append(state.first) }
                    state.first += 1
                    state.second += 1
                }
            }
        }
        #expect(ended)
        #expect(torn.all == [])
        #expect(state.withLock { $0.first } == 8_000)
    }

    @Test func lockIsFreeAgainAfterAThrow() {
        let state = Locked(0)
        #expect(throws: Refusal.self) {
            try state.withLock { state throws(Refusal) in
                state = 1
                throw Refusal()
            }
        }
        #expect(state.withLock { $0 } == 1)

        let lock = Lock()
        do {
            try lock.withLock { () throws(Refusal) in throw Refusal() }
            Issue.record("The lock must rethrow the closure's error.")
        } catch {
            // This call would wait forever if the lock were still held.
            lock.withLock {}
        }
    }

    @Test func lockIsNotSoonFreeWhileTheThreadHoldsIt() {
        let lock = Lock()
        let isFree = lock.isSoonFree()
        let isFreeWhileHeld = lock.withLock { lock.isSoonFree(attempts: 3) }
        let isFreeAgain = lock.isSoonFree(attempts: 1)
        #expect([isFree, isFreeWhileHeld, isFreeAgain] == [true, false, true])
    }

    /// A lock in an object, so that closures can share it.
    private final class Shared: Sendable {
        private let lock = WriterLock()

        var isMine: Bool { lock.isHeldByCurrentThread }

        func acquire() { lock.acquire() }

        func acquireIfFree() -> Bool { lock.acquireIfFree() }

        func release() { lock.release() }
    }

    @Test func writersLockKnowsItsOwner() {
        let shared = Shared()
        #expect(!shared.isMine)
        shared.acquire()
        #expect(shared.isMine)

        let seen = Recorder<Bool>()
        let other = RunningThread {
            seen.append(shared.isMine)
            seen.append(shared.acquireIfFree())
        }
        #expect(other.wait())
        #expect(seen.all == [false, false])

        shared.release()
        #expect(!shared.isMine)
        #expect(shared.acquireIfFree())
        #expect(shared.isMine)
        shared.release()
    }

    @Test func writersLockIsTakenInTurn() {
        let shared = Shared()
        let inside = Locked(0)
        let overlaps = Recorder<Int>()
        let ended = onThreads(4) { thread in
            for round in 0..<500 {
                if round % 5 == 0, !shared.acquireIfFree() { continue }
                if round % 5 != 0 { shared.acquire() }
                let others = inside.withLock { inside in
                    defer { inside += 1 }
                    return inside
                }
                if others > 0 || !shared.isMine { overlaps.append(thread) }
                inside.withLock { $0 -= 1 }
                shared.release()
            }
        }
        #expect(ended)
        #expect(overlaps.all == [])
    }
}
