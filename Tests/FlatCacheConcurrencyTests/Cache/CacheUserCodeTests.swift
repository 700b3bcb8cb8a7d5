import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests calls of the cache from a value's own code in the middle of a write.
@Suite(.exclusive)
struct CacheUserCodeTests {
    let cache = Cache()

    /// Reads the cache with each of its methods.
    private func readEverything() -> [String] {
        let handle = cache.cached(Note.self, id: 1)
        return [
            cache[Note.self, 1]?.text ?? "-",
            handle.value?.text ?? "-",
            "\(cache.count(of: Note.self))",
            "\(cache.ids(of: Note.self))",
            "\(cache.values(of: Note.self).count)",
            cache.withSnapshot { $0[Note.self, 1]?.text ?? "-" },
            "\(cache[CallbackEntity.self, 1]?.revision ?? -1)",
        ]
    }

    @Test(arguments: CallbackEntity.Moment.allCases)
    func readingShowsTheStateBeforeTheWrite(moment: CallbackEntity.Moment) throws {
        cache.set(Note(id: 1, text: "there"))
        cache.set(CallbackEntity(id: 1))
        let observation = cache.cached(CallbackEntity.self, id: 1).observe { _ in }
        let reads = Recorder<[String]>()
        let writer = RunningThread {
            cache.set(
                CallbackEntity(id: 1, revision: 1, moment: moment) {
                    reads.append(readEverything())
                }
            )
        }
        #expect(writer.wait(), "A read in a value's own code deadlocked.")
        #expect(try #require(reads.all.first) == ["there", "there", "1", "[1]", "1", "there", "0"])
        #expect(cache[CallbackEntity.self, 1]?.revision == 1)
        observation.dispose()
    }

    @Test(arguments: CallbackEntity.Moment.allCases)
    func readingInABatchShowsTheStateBeforeIt(moment: CallbackEntity.Moment) throws {
        cache.set(CallbackEntity(id: 1))
        let observation = cache.cached(CallbackEntity.self, id: 1).observe { _ in }
        let reads = Recorder<[String]>()
        cache.performBatchUpdates { batch in
            batch.set(Note(id: 1, text: "new"))
            batch.set(
                CallbackEntity(id: 1, revision: 1, moment: moment) {
                    reads.append(readEverything())
                }
            )
        }
        #expect(try #require(reads.all.first) == ["-", "-", "0", "[]", "0", "-", "0"])
        observation.dispose()
    }

    @Test(arguments: CallbackEntity.Moment.allCases)
    func writingToAnotherCacheIsAllowed(moment: CallbackEntity.Moment) {
        let other = Cache()
        cache.set(CallbackEntity(id: 1))
        let observation = cache.cached(CallbackEntity.self, id: 1).observe { _ in }
        cache.set(
            CallbackEntity(id: 1, revision: 1, moment: moment) {
                other.set(Note(id: 1, text: "elsewhere"))
            }
        )
        #expect(other[Note.self, 1]?.text == "elsewhere")
        observation.dispose()
    }

    @Test(arguments: CallbackEntity.Moment.allCases)
    func disposingIsAllowed(moment: CallbackEntity.Moment) {
        cache.set(CallbackEntity(id: 1))
        let received = Recorder<Int>()
        let other = cache.cached(CallbackEntity.self, id: 1).observe {
            received.append($0.revision)
        }
        let observation = cache.cached(CallbackEntity.self, id: 1).observe { _ in }
        cache.set(CallbackEntity(id: 1, revision: 1, moment: moment) { other.dispose() })
        cache.set(CallbackEntity(id: 1, revision: 2))
        #expect(received.all == [])
        cache.core.checkInvariants()
        observation.dispose()
    }

    @Test func relationshipsOfUnwatchedEntitiesAreNotRead() {
        let asked = Recorder<Int>()
        func meddler(_ id: Int, _ revision: Int) -> CallbackEntity {
            CallbackEntity(id: id, revision: revision, moment: .relating) { asked.append(id) }
        }
        let observation = cache.cached(CallbackEntity.self, id: 1).observe { _ in }
        for revision in 0..<3 { cache.set(meddler(2, revision)) }
        cache.update(CallbackEntity.self, id: 2) { $0.revision = 9 }
        cache.remove(CallbackEntity.self, id: 2)
        cache.performBatchUpdates { $0.set(contentsOf: (2..<9).map { meddler($0, 0) }) }
        #expect(asked.all == [])
        cache.set(meddler(1, 0))
        #expect(Set(asked.all) == [1])
        observation.dispose()
        let count = asked.count
        cache.set(meddler(1, 1))
        #expect(asked.count == count)
    }

    @Test func observerWithoutRelationshipsAsksForNone() {
        let asked = Recorder<Int>()
        let observation = cache.cached(CallbackEntity.self, id: 1).following(.none).observe { _ in }
        cache.set(CallbackEntity(id: 1, revision: 1, moment: .relating) { asked.append(1) })
        #expect(asked.all == [])
        observation.dispose()
    }

    @Test func afterAValuesCodeHasReadTheThreadMayWriteAgain() {
        cache.set(CallbackEntity(id: 1))
        cache.performBatchUpdates { batch in
            batch.set(
                CallbackEntity(id: 1, revision: 1, moment: .comparing) { _ = readEverything() }
            )
            cache.set(Note(id: 1, text: "joined"))
        }
        #expect(cache[Note.self, 1]?.text == "joined")
    }

    /// An entity that creates its identifier anew each time, with an object that runs a closure
    /// when it is deallocated.
    private struct Ticket: Identifiable, Sendable {
        final class Stub: Sendable {
            let onRelease: @Sendable () -> Void

            init(onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }

            deinit { onRelease() }
        }

        struct ID: Hashable, Sendable {
            let number: Int
            let stub: Stub

            static func == (left: ID, right: ID) -> Bool { left.number == right.number }

            func hash(into hasher: inout Hasher) { hasher.combine(number) }
        }

        let number: Int
        let onRelease: @Sendable () -> Void

        var id: ID { ID(number: number, stub: Ticket.Stub(onRelease: onRelease)) }
    }

    @Test func objectsInIdentifiersAreReleasedAfterTheWrite() {
        let releases = Recorder<Int>()
        cache.set(
            Ticket(number: 1) { [cache] in
                releases.append(cache.count(of: Ticket.self))
                cache.set(Note(id: releases.count, text: "released"))
            }
        )
        let before = releases.count
        cache.removeAll(Ticket.self)
        #expect(releases.all.dropFirst(before) == [0])
        #expect(cache.count(of: Note.self) == releases.count)
        cache.core.checkInvariants()
    }
}
