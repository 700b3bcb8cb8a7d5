import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct LoadFailuresTests {
    private struct Failure: Error {}

    private var failures = LoadFailures()

    private func keys(_ ids: Range<Int>) -> [CacheKey] { ids.map { CacheKey(Note.self, id: $0) } }

    private func key(_ id: Int) -> CacheKey { CacheKey(Note.self, id: id) }

    @Test mutating func failureIsRememberedUntilItsEnd() {
        #expect(failures.isEmpty)
        failures.insert(Failure(), of: keys(0..<2), since: 0, until: 10, at: 0)
        failures.insert(nil, of: keys(2..<3), since: 0, until: 10, at: 0)
        #expect(!failures.isEmpty)
        #expect(failures.failure(of: key(0), at: 9)?.error is Failure)
        #expect(failures.failure(of: key(0), at: 10) == nil)
        let missing = failures.failure(of: key(2), at: 9)
        #expect(missing != nil)
        #expect(missing?.error == nil)
        #expect(failures.failure(of: key(3), at: 0) == nil)
    }

    @Test mutating func laterFailureReplacesAnEarlierOne() {
        failures.insert(Failure(), of: keys(0..<1), since: 0, until: 10, at: 0)
        failures.insert(nil, of: keys(0..<1), since: 0, until: 20, at: 5)
        #expect(failures.failure(of: key(0), at: 15) != nil)
        #expect(failures.failure(of: key(0), at: 15)?.error == nil)
        #expect(failures.count == 1)
    }

    @Test mutating func forgettingRemovesFailures() {
        failures.forget(key(0))
        failures.insert(nil, of: keys(0..<4), since: 0, until: 10, at: 0)
        failures.forget(key(0))
        #expect(failures.failure(of: key(0), at: 0) == nil)
        failures.forget { $0.id(as: Note.self) ?? 0 < 3 }
        #expect(failures.count == 1)
        #expect(failures.failure(of: key(3), at: 0) != nil)
        failures.forget { _ in true }
        #expect(failures.isEmpty)
    }

    @Test mutating func numberOfFailuresIsLimited() {
        failures.insert(nil, of: keys(0..<LoadFailures.limit), since: 0, until: 10, at: 0)
        #expect(failures.count == LoadFailures.limit)
        failures.insert(nil, of: keys(20_000..<20_001), since: 0, until: 11, at: 0)
        #expect((1...LoadFailures.limit).contains(failures.count))
        #expect(failures.failure(of: key(20_000), at: 0) != nil)
    }

    @Test mutating func failuresThatEndFirstAreDropped() {
        for id in 0..<LoadFailures.limit {
            failures.insert(
                nil,
                of: keys(id..<id + 1),
                since: 0,
                until: Time(nanoseconds: Int64(id)),
                at: 0
            )
        }
        failures.insert(nil, of: keys(20_000..<20_002), since: 0, until: 9_000, at: 0)
        #expect(failures.count <= LoadFailures.limit)
        #expect(failures.failure(of: key(1), at: 0) == nil)
        #expect(failures.failure(of: key(20_000), at: 0) != nil)
        #expect(failures.failure(of: key(LoadFailures.limit - 1), at: 0) != nil)
    }

    @Test mutating func failuresThatHaveEndedMakeRoomFirst() {
        failures.insert(nil, of: keys(0..<5_000), since: 0, until: 10, at: 0)
        failures.insert(nil, of: keys(5_000..<10_000), since: 0, until: 30, at: 0)
        failures.insert(nil, of: keys(10_000..<10_001), since: 0, until: 20, at: 10)
        #expect(failures.count == 5_001)
    }

    /// All failures of one call end at the same time.
    @Test mutating func failuresOfALargeCallAreNotAllDropped() {
        failures.insert(nil, of: keys(0..<LoadFailures.limit + 1), since: 0, until: 10, at: 0)
        #expect((LoadFailures.limit / 2...LoadFailures.limit).contains(failures.count))
    }
}
