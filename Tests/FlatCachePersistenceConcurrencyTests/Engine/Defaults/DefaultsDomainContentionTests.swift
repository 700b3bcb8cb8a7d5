#if os(Linux)
import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

extension DefaultsFolderTests {
    struct DefaultsDomainContentionTests {
        /// Runs a closure on several threads at once, and throws the error of any of them.
        private func concurrently(
            _ count: Int,
            _ body: @escaping @Sendable (Int) throws -> Void
        ) async throws {
            let errors = Recorder<any Error>()
            let ended = await withThreads(count) { index in
                do { try body(index) } catch { errors.append(error) }
            }
            #expect(ended)
            if let error = errors.all.first { throw error }
        }

        @Test func domainsThatShareOnlyTheFileLoseNothingOfEachOther() async throws {
            let suite = try TemporarySuite()
            let rounds = RandomTestSettings.repetitions(30)
            try await concurrently(4) { index in
                let domain = suite.makeDomain()
                for round in 1...rounds {
                    try domain.setValue(.integer(Int64(round)), forKey: "own.\(index)")
                    #expect(try domain.value(forKey: "own.\(index)") == .integer(Int64(round)))
                    try domain.setValue(.integer(Int64(index * rounds + round)), forKey: "shared")
                    guard case .integer(let number)? = try domain.value(forKey: "shared") else {
                        Issue.record("The shared value is missing.")
                        return
                    }
                    #expect((1...Int64(4 * rounds)).contains(number))
                }
            }
            let file = try suite.file()
            for index in 0..<4 { #expect(file["own.\(index)"] == .integer(Int64(rounds))) }
            let last = try #require(file["shared"])
            #expect((1...4).map { PropertyListValue.integer(Int64($0 * rounds)) }.contains(last))
            #expect(try suite.makeDomain().value(forKey: "shared") == last)
            #expect(suite.entries == [AtomicFile.name(of: suite.path)])
        }

        @Test func threadsThatWriteOneDomainAllFindTheirValueOnFile() async throws {
            let suite = try TemporarySuite()
            let domain = suite.makeDomain()
            try await concurrently(8) { index in
                for round in 0..<40 {
                    try domain.setValue(.integer(Int64(round)), forKey: "\(index)")
                    #expect(try suite.file()["\(index)"] == .integer(Int64(round)))
                }
            }
            #expect(try domain.keys().count == 8)
        }

        @Test func valueThatCannotBeStoredFailsAlone() async throws {
            let suite = try TemporarySuite()
            let domain = suite.makeDomain()
            let failures = Locked(0)
            try await concurrently(8) { index in
                for round in 0..<20 {
                    if index == 0 {
                        do {
                            try domain.setValue(.string("\u{FEFF}x"), forKey: "bad")
                        } catch is PropertyListError {
                            failures.withLock { $0 += 1 }
                        }
                    } else {
                        try domain.setValue(.integer(Int64(round)), forKey: "\(index)")
                    }
                }
            }
            #expect(failures.withLock { $0 } == 20)
            #expect(try domain.keys() == (1..<8).map { "\($0)" })
        }

        @Test func concurrentPlainCallsLoseNoValue() async throws {
            let suite = try TemporarySuite()
            try await concurrently(3) { index in
                let domain = suite.makeDomain()
                for round in 1...60 {
                    if index == 0 {
                        suite.defaults.set(round, forKey: "plain.\(round)")
                    } else {
                        try domain.setValue(.integer(Int64(round)), forKey: "\(index).\(round)")
                    }
                }
            }
            try suite.makeDomain().setValue(.bool(true), forKey: "last")
            #expect(try suite.file().count == 181)
        }

        @Test func savingValuesOfPlainCallsLosesNoWriteOfAnotherProcess() async throws {
            let suite = try TemporarySuite()
            let rounds = RandomTestSettings.repetitions(40)
            try await concurrently(2) { index in
                let domain = suite.makeDomain()
                for round in 1...rounds {
                    if index == 0 {
                        suite.defaults.set(round, forKey: "plain.\(round)")
                        try domain.synchronize()
                    } else {
                        try domain.setValue(.integer(Int64(round)), forKey: "own.\(round)")
                    }
                }
            }
            #expect(try suite.file().count == 2 * rounds)
        }

        @Test func plainCallAtAnyMomentOfAWriteIsKept() async throws {
            let suite = try TemporarySuite()
            let writes = Locked(0)
            let last = RandomTestSettings.repetitions(60)
            let hasEnded = Signal()
            try await concurrently(2) { index in
                let domain = suite.makeDomain()
                if index == 0 {
                    while !hasEnded.isFired {
                        let count = writes.withLock { $0 }
                        try domain.setValue(.integer(Int64(count)), forKey: "own")
                        writes.withLock { $0 = count + 1 }
                    }
                } else {
                    defer { hasEnded.fire() }
                    var generator = SplitMix64(seed: 1)
                    for round in 1...last {
                        generator.compute(atMost: 20_000)
                        suite.defaults.set(round, forKey: "plain")
                        let count = writes.withLock { $0 }
                        // The second write that ends after this point has begun after the call.
                        guard blockUntil({ writes.withLock { $0 } > count + 1 }) else { break }
                        #expect(try suite.file()["plain"] == .integer(Int64(round)))
                    }
                }
            }
            #expect(try suite.file()["plain"] == .integer(Int64(last)))
        }
    }
}
#endif
