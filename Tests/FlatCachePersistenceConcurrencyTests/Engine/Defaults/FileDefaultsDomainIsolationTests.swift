#if !canImport(Darwin)
import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

extension DefaultsFolderTests {
    struct FileDefaultsDomainIsolationTests {
        @Test func readingADomainRevertsNoWriteOfItsNeighbour() async throws {
            let (neighbour, suite) = (try TemporarySuite(), try TemporarySuite())
            let (read, written) = (neighbour.makeDomain(), suite.makeDomain())
            let isDone = Locked(false)
            let unexpected = Recorder<String>()
            let ended = await withThreads(3) { thread in
                switch thread {
                case 0:
                    // Other code changes the neighbour, and a read follows.
                    var number: Int64 = 0
                    while !isDone.withLock({ $0 }) {
                        number += 1
                        try? neighbour.replaceFile(["a": .integer(number)])
                        _ = try? read.value(forKey: "a")
                    }
                case 1:
                    // Foundation saves the unsaved values of this domain with any other domain.
                    while !isDone.withLock({ $0 }) {
                        suite.defaults.set(Int.random(in: 0...9), forKey: "plain")
                        sched_yield()
                    }
                default:
                    for number in 1...Int64(RandomTestSettings.repetitions(100)) {
                        do {
                            try written.setValue(.integer(number), forKey: "ours")
                            let found = try written.value(forKey: "ours")
                            if found != .integer(number) {
                                unexpected.append("\(number): \(found as Any)")
                            }
                        } catch {
                            unexpected.append("\(number): \(error)")
                        }
                    }
                    isDone.withLock { $0 = true }
                }
            }
            #expect(ended)
            #expect(unexpected.all == [])
        }
    }
}
#endif
