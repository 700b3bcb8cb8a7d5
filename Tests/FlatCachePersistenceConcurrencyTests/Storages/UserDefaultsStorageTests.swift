#if os(Linux)
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

extension DefaultsFolderTests {
    struct UserDefaultsStorageTests {
        let suite: TemporarySuite
        let storage: UserDefaultsStorage

        init() throws {
            suite = try TemporarySuite()
            storage = UserDefaultsStorage(suite.defaults)
        }

        @Test func storagesOfOneDomainNotifyEachOthersListeners() async throws {
            let other = try #require(UserDefaultsStorage(suiteName: suite.name))
            let received = Recorder<PropertyListValue?>()
            let listening = other.addUpdateListener(forKey: "a.b") { received.append($0) }
            try storage.storeValue(.integer(1), key: "a.b")
            try storage.storeValue(.integer(1), key: "a.b")
            try storage.storeValue(.bool(true), key: "another")
            try storage.removeValue(for: "a.b")
            // The thread that watches the file may make the calls.
            #expect(await until { received.count == 2 })
            #expect(received.all == [.integer(1), nil])
            #expect(try other.retrieveValue(for: "another") == .bool(true))
            #expect(try storage.keys == ["another"])
            withExtendedLifetime(listening) {}
        }

        @Test func storageMeetsAllRequirements() async throws {
            let failures = try await onOwnThread { [storage] in
                StorageConformance.check(
                    storage,
                    key: "a",
                    otherKey: "b",
                    values: (.integer(1), .string("x")),
                    another: { storage },
                    deadline: 300
                )
            }
            #expect(failures.isEmpty, "\(failures)")
        }

        @Test func writeOfAnotherProcessNotifiesListenersOncePerChangedKey() async throws {
            try storage.storeValue(.integer(0), key: "a.b")
            try storage.storeValue(.integer(0), key: "same")
            let received = Recorder<PropertyListValue?>()
            let same = Recorder<PropertyListValue?>()
            let listening = [
                storage.addUpdateListener(forKey: "a.b") { received.append($0) },
                storage.addUpdateListener(forKey: "same") { same.append($0) },
            ]
            for number in Int64(1)...20 {
                try suite.replaceFile(["a.b": .integer(number), "same": .integer(0)])
                #expect(await until { received.all.last == .integer(number) })
            }
            try FileManager.default.removeItem(atPath: suite.path)
            #expect(await until { received.all.last == .some(nil) && same.count == 1 })
            #expect(received.all == (1...20).map { .integer($0) } + [nil])
            #expect(same.all == [nil])
            withExtendedLifetime(listening) {}
        }

        @Test func writeOfThisProcessIsNotReportedAgainByTheFile() async throws {
            let received = Recorder<PropertyListValue?>()
            let fence = Recorder<PropertyListValue?>()
            let listening = [
                storage.addUpdateListener(forKey: "key") { received.append($0) },
                storage.addUpdateListener(forKey: "fence") { fence.append($0) },
            ]
            let date = PropertyListValue.date(Date(timeIntervalSinceReferenceDate: 0.5))
            try storage.storeValue(date, key: "key")
            try storage.storeValue(.integer(2), key: "key")
            var values = try suite.file()
            values["fence"] = .bool(true)
            try suite.replaceFile(values)
            #expect(await until { fence.count == 1 && received.count >= 2 })
            #expect(
                received.all == [.date(Date(timeIntervalSinceReferenceDate: 0)), .integer(2)]
            )
            withExtendedLifetime(listening) {}
        }

        @Test func savedValueOfPlainCallsNotifiesListeners() async throws {
            let received = Recorder<PropertyListValue?>()
            let listening = storage.addUpdateListener(forKey: "key") { received.append($0) }
            suite.defaults.set(5, forKey: "key")
            #expect(try storage.retrieveValue(for: "key") == .integer(5))
            // The thread that watches the file may make the call.
            #expect(await until { received.count == 1 })
            #expect(received.all == [.integer(5)])
            suite.defaults.set(6, forKey: "key")
            suite.defaults.synchronizeExclusively(timeout: hangLimit)
            #expect(await until { received.count == 2 })
            suite.defaults.set(7, forKey: "key")
            try storage.synchronize()
            #expect(try suite.file()["key"] == .integer(7))
            #expect(await until { received.count == 3 })
            #expect(received.all == [.integer(5), .integer(6), .integer(7)])
            withExtendedLifetime(listening) {}
        }

        @Test func persisterOnADomainKeepsStepWithTheFile() async throws {
            let theme = Persister(key: "theme", storedBy: storage, defaultValue: "light")
            try theme.persist("dark")
            #expect(suite.defaults.string(forKey: "theme") == "dark")
            try suite.replaceFile(["theme": .string("blue")])
            #expect(await until { theme.retrieveValue() == "blue" })
        }

        @Test func errorsNameTheKeyAndTheFile() throws {
            let domain = suite.makeDomain(clock: ManualClock())
            let storage = UserDefaultsStorage(SharedDefaultsDomain(domain, watch: nil))
            try suite.replaceFile(Data("<plist>".utf8))
            #expect {
                try storage.storeValue(.integer(1), key: "a.b")
            } throws: { error in
                guard let error = error as? PersistenceError else { return false }
                return error.operation == .write && error.key == "a.b"
                    && error.storage.contains(suite.path) && error.underlying is DefaultsFileError
            }
            #expect(throws: PersistenceError.self) { try storage.retrieveValue(for: "a.b") }
            #expect(throws: PersistenceError.self) { try storage.removeValue(for: "a.b") }
            #expect(throws: PersistenceError.self) { try storage.keys }
            #expect(throws: PersistenceError.self) { try storage.synchronize() }
        }

        @Test func copiesMadeWithinOneSecondAreAllKept() throws {
            let other = UserDefaultsStorage(
                SharedDefaultsDomain(suite.makeDomain(), watch: nil)
            )
            var copies: [String: PropertyListValue] = [:]
            for number in Int64(1)...6 {
                let storage = number.isMultiple(of: 2) ? storage : other
                try storage.storeValue(.integer(number), key: "key")
                let copy = try #require(try storage.keepCorruptValue(for: "key"))
                copies[copy] = .integer(number)
            }
            #expect(copies.count == 6)
            for (copy, value) in copies { #expect(try storage.retrieveValue(for: copy) == value) }
        }

        @Test func corruptValueIsCopiedToAKeyBesideIt() throws {
            try storage.storeValue(.string("odd"), key: "key")
            let copy = try #require(try storage.keepCorruptValue(for: "key"))
            #expect(copy.hasPrefix("key.corrupt-"))
            #expect(try storage.retrieveValue(for: copy) == .string("odd"))
            #expect(try storage.keepCorruptValue(for: "none") == nil)
        }
    }
}
#endif
