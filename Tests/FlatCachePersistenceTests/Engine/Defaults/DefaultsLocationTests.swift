#if os(Linux)
import Foundation
import Testing

@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

struct DefaultsLocationTests {
    @Test func foundationStoresASuiteWhereItIsLookedFor() throws {
        let suite = try TemporarySuite()
        suite.defaults.set(1, forKey: "key")
        suite.defaults.synchronizeExclusively(timeout: hangLimit)
        #expect(try suite.file() == ["key": .integer(1)])
    }

    @Test func suiteOfAnObjectIsFound() throws {
        final class Special: UserDefaults {}
        let suite = try TemporarySuite()
        #expect(DefaultsLocation(suite.defaults) == suite.location)
        let special = try #require(Special(suiteName: suite.name))
        #expect(DefaultsLocation(special) == suite.location)
        #expect(DefaultsLocation(.standard) == DefaultsLocation(suiteName: nil))
    }

    @Test func standardDefaultsAreReachedByTheirName() throws {
        let location = DefaultsLocation(suiteName: nil)
        let key = "FlatCacheTests.\(UUID().uuidString)"
        let cache = FoundationDefaultsCache(location: location, defaults: .standard)
        UserDefaults.standard.set(1, forKey: key)
        #expect(try cache.values()[key] == .integer(1))
        UserDefaults.standard.synchronizeExclusively(timeout: hangLimit)
        let domain = FileDefaultsDomain(cache, timeout: hangLimit, readTimeout: hangLimit)
        #expect(try domain.value(forKey: key) == .integer(1))
        let data = try #require(FileManager.default.contents(atPath: location.path))
        #expect(try [String: PropertyListValue](file: data)[key] == .integer(1))
        try domain.setValue(nil, forKey: key)
        #expect(UserDefaults.standard.object(forKey: key) == nil)
    }

    @Test func folderIsTheOneOfTheEnvironment() {
        #expect(DefaultsLocation.folder(of: ["HOME": "/h"]) == "/h/.config")
        #expect(DefaultsLocation.folder(of: ["HOME": "/h", "XDG_CONFIG_HOME": "/c"]) == "/c")
        #expect(DefaultsLocation.folder(of: ["HOME": "/h", "XDG_CONFIG_HOME": "/c/"]) == "/c")
        #expect(
            DefaultsLocation.folder(of: ["HOME": "/h", "XDG_CONFIG_HOME": "c"]) == "/h/.config"
        )
        #expect(DefaultsLocation.folder(of: [:]) == "/.config")
    }
}

extension [String: PropertyListValue] {
    fileprivate init(file data: Data) throws {
        guard case .dictionary(let values) = try PropertyListValue(propertyListData: data) else {
            self = [:]
            return
        }
        self = values
    }
}
#endif
