import FlatCache
import Testing

@testable import FlatCacheTestSupport

struct WaitingErrorTests {
    @Test func timeoutNamesTheSourceAndTheDuration() {
        let error = WaitingError.timedOut("Cached Book(7)", after: .milliseconds(2500))
        #expect("\(error)".contains("Book(7)"))
        #expect("\(error)".contains("2.5 seconds"))
    }

    @Test func errorOfAReleasedCacheNamesTheSource() {
        let error = WaitingError.cacheDeallocated("Cached Book(7)")
        #expect("\(error)".contains("Book(7)"))
    }

    @Test func errorsCompareSourcesAndTimeouts() {
        let source = "Cached Book(7)"
        let errors: Set<WaitingError> = [
            .cacheDeallocated(source), .timedOut(source, after: .seconds(1)),
            .timedOut(source, after: .seconds(2)), .cacheDeallocated("Cached Book(8)"),
            .cacheDeallocated(source),
        ]
        #expect(errors.count == 4)
    }
}
