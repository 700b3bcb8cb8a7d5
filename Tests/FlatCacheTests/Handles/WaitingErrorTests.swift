import FlatCache
import Testing

@testable import FlatCacheTestSupport

struct WaitingErrorTests {
    @Test func timeoutNamesTheKeyAndTheDuration() {
        let error = WaitingError.timedOut(CacheKey(Book.self, id: 7), after: .milliseconds(2500))
        #expect("\(error)".contains("Book(7)"))
        #expect("\(error)".contains("2.5 seconds"))
    }

    @Test func errorOfAReleasedCacheNamesTheKey() {
        let error = WaitingError.cacheDeallocated(CacheKey(Book.self, id: 7))
        #expect("\(error)".contains("Book(7)"))
    }

    @Test func errorsCompareKeysAndTimeouts() {
        let key = CacheKey(Book.self, id: 7)
        let errors: Set<WaitingError> = [
            .cacheDeallocated(key), .timedOut(key, after: .seconds(1)),
            .timedOut(key, after: .seconds(2)), .cacheDeallocated(CacheKey(Book.self, id: 8)),
            .cacheDeallocated(key),
        ]
        #expect(errors.count == 4)
    }
}
