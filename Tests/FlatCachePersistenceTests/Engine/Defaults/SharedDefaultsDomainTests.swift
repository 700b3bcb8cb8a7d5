#if os(Linux)
import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

struct SharedDefaultsDomainTests {
    @Test func standardDefaultsAndTheSuiteOfTheirNameShareADomain() throws {
        TemporarySuite.prepareDomain(at: DefaultsLocation(suiteName: nil), .standard)
        let name = try #require(
            AtomicFile.name(of: DefaultsLocation(suiteName: nil).path).split(separator: ".plist")
                .first
        )
        let suite = try #require(UserDefaults(suiteName: String(name)))
        #expect(
            SharedDefaultsDomain.domain(of: .standard) === SharedDefaultsDomain.domain(of: suite)
        )
        let key = "FlatCacheTests.\(UUID().uuidString)"
        let domain = SharedDefaultsDomain.domain(of: .standard).domain
        try domain.setValue(.integer(1), forKey: key)
        #expect(suite.integer(forKey: key) == 1)
        #expect(UserDefaults.standard.integer(forKey: key) == 1)
        UserDefaults.standard.set(2, forKey: key)
        #expect(try domain.value(forKey: key) == .integer(2))
        try domain.setValue(nil, forKey: key)
        #expect(suite.object(forKey: key) == nil)
        #expect(UserDefaults.standard.object(forKey: key) == nil)
    }

    @Test func plainCallsThatCannotSaveAreAnError() throws {
        let suite = try TemporarySuite()
        try FileManager.default.createDirectory(
            atPath: suite.path,
            withIntermediateDirectories: true
        )
        let domain = PlainDefaultsDomain(SharedDefaults(suite.defaults), domainName: nil)
        #expect(throws: UnsavedDefaultsError.self) {
            try domain.setValue(.integer(1), forKey: "key")
        }
    }
}
#endif
