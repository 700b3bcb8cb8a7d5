#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

/// Each test has a process of its own, since Foundation reports a save for all domains of a process
/// together.
struct PlainDefaultsDomainTrapsTests {
    @Test func plainCallsAloneStoreAndReadAValue() async {
        await #expect(processExitsWith: .success) {
            let suite = try TemporarySuite()
            let domain = PlainDefaultsDomain(
                SharedDefaults(suite.defaults),
                domainName: nil,
                timeout: hangLimit
            )
            try domain.setValue(.integer(1), forKey: "a.b")
            #expect(try domain.value(forKey: "a.b") == .integer(1))
            #expect(try suite.file() == ["a.b": .integer(1)])
            // In this domain, registered defaults can't be distinguished from other values.
            #expect(try domain.keys().contains("a.b"))
            #expect(throws: PropertyListError.self) {
                try domain.setValue(.dictionary(["CF$UID": .integer(1)]), forKey: "bad")
            }
            try domain.setValue(nil, forKey: "a.b")
            #expect(try domain.value(forKey: "a.b") == nil)
        }
    }
}
#endif
