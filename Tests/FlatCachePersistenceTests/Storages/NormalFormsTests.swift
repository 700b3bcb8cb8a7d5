import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

/// Keys that Swift considers equal, although their bytes differ, are two keys.
struct NormalFormsTests {
    /// Two canonically equivalent strings.
    struct Pair: Sendable, CustomTestStringConvertible {
        let one: String
        let two: String

        var testDescription: String { "\(one.unicodeScalars.map(\.value))" }

        init(_ one: String, _ two: String) {
            precondition(one == two && !one.hasSameBytes(as: two))
            (self.one, self.two) = (one, two)
        }
    }

    static let pairs = [
        Pair("\u{e9}", "e\u{301}"), Pair("a.K", "a.\u{212A}"),
        Pair("\u{1E69}&", "s\u{307}\u{323}&"), Pair("\u{AC01}", "\u{1100}\u{1161}\u{11A8}"),
        Pair("\u{1E69}", "\u{1E61}\u{323}"),
    ]

    /// Checks that two keys of a storage have their own values and listeners.
    private func check<Base: Storage>(
        _ storage: Base,
        _ one: Base.Key,
        _ two: Base.Key,
        _ transformer: some Transformer<Int, Base.Value>
    ) throws {
        let persisters = [one, two].map {
            Persister<Int?>(key: $0, storedBy: storage, transformer: transformer)
        }
        let received = [Recorder<Int?>(), Recorder<Int?>()]
        let listening = zip(persisters, received).map { persister, received in
            persister.addUpdateListener { received.append(try? $0.get().newValue) }
        }
        try persisters[0].persist(1)
        #expect(persisters.map { $0.retrieveValue() } == [1, nil])
        try persisters[1].persist(2)
        #expect(persisters.map { $0.retrieveValue() } == [1, 2])
        try persisters[0].update { $0 = ($0 ?? 0) + 10 }
        try persisters[1].update { $0 = ($0 ?? 0) + 10 }
        #expect(persisters.map { $0.retrieveValue() } == [11, 12])
        #expect(try storage.retrieveValue(for: one).map(transformer.untransformValue) == 11)
        #expect(try storage.retrieveValue(for: two).map(transformer.untransformValue) == 12)
        try persisters[0].removeValue()
        #expect(persisters.map { $0.retrieveValue() } == [nil, 12])
        #expect(received.map(\.all) == [[1, 11, nil], [2, 12]])
        for token in listening { token.dispose() }
    }

    @Test(arguments: pairs)
    func valuesInMemoryAreIndependent(_ pair: Pair) throws {
        let storage = InMemoryStorage<String, Int>()
        try check(storage, pair.one, pair.two, IdentityTransformer())
        storage.storeValue(1, key: pair.one)
        #expect(Set(storage.keys.map(ExactString.init)).count == 2)
        _ = storage.keepCorruptValue(for: pair.one)
        #expect(storage.corruptValues(for: pair.one) == [1])
        #expect(storage.corruptValues(for: pair.two) == [])
        #expect(try InMemoryStorage([pair.one: 1]).retrieveValue(for: pair.two) == nil)
    }

    @Test(arguments: pairs)
    func filesAreIndependent(_ pair: Pair) throws {
        let folder = try TemporaryFolder()
        let files = [pair.one, pair.two].map(folder.file)
        try check(FileStorage(), files[0], files[1], JSONTransformer())
        try FileStorage().storeValue(Data("1".utf8), key: files[0])
        #expect(try folder.contents.count == 2)
    }

    @Test func nameThatBeginsWithACombiningMarkIsAName() throws {
        let folder = try TemporaryFolder()
        for path in ["\u{301}file", "\u{301}folder/\u{301}file", "a/\u{301}"] {
            let file = URL(fileURLWithPath: folder.url.path + "/" + path, isDirectory: false)
            let value = Persister<Int?>(
                key: file,
                storedBy: FileStorage(),
                transformer: JSONTransformer()
            )
            try value.persist(1)
            #expect(try Data(contentsOf: file) == Data("1".utf8))
            try value.removeValue()
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test(arguments: pairs)
    func linkToAFileOfAnEquivalentNameReportsChanges(_ pair: Pair) async throws {
        let folder = try TemporaryFolder()
        let (file, link) = (folder.file(pair.one), folder.file(pair.two))
        symlink(pair.one, link.path)
        let log = MonitorLog()
        let monitor = log.monitor(link)
        try Data("1".utf8).write(to: file, options: .atomic)
        #expect(await log.receives(.created, "1"))
        try Data("2".utf8).write(to: file, options: .atomic)
        #expect(await log.receives(.replaced, "2"))
        unlink(link.path)
        #expect(await log.receives(.deleted, nil))
        withExtendedLifetime(monitor) {}
    }

    @Test(arguments: pairs)
    func containersAreIndependent(_ pair: Pair) throws {
        let shelf = Shelf(storage: ListStorage(), keyPrefix: "\(pair.one).")
        let other = Shelf(storage: shelf.storage, keyPrefix: "\(pair.two).")
        shelf.setValue(1, forKey: pair.one)
        shelf.setValue("text", forKey: pair.two)
        other.setValue(2.5, forKey: pair.one)
        #expect(shelf.value(forKey: pair.one) == 1)
        #expect(shelf.value(forKey: pair.two) == "text")
        #expect(other.value(forKey: pair.one) == 2.5)
        #expect(shelf.reported == [] && other.reported == [])
        try shelf.removeAll()
        #expect(shelf.storage.keys.count == 1)
        #expect(other.value(forKey: pair.one) == 2.5)
        let errors = [pair.one, pair.two].map { shelf.storage.channels.errors(forKey: $0) }
        #expect(errors[0] !== errors[1])
    }

    @Test(arguments: pairs)
    func dictionariesWithEquivalentKeysAreTwoValues(_ pair: Pair) throws {
        let one = PropertyListValue.dictionary([pair.one: .integer(1), "a": .array([])])
        let two = PropertyListValue.dictionary([pair.two: .integer(1), "a": .array([])])
        #expect(one != two)
        #expect(one == one && one.hashValue == two.hashValue)
        let storage = InMemoryStorage<String, PropertyListValue>()
        let value = Persister<[String: Int]?>(key: "a", storedBy: storage)
        let received = Recorder<[ExactString]>()
        let listening = value.addUpdateListener { result in
            received.append(((try? result.get().newValue) ?? [:]).keys.map(ExactString.init))
        }
        try value.persist([pair.one: 1])
        try value.persist([pair.two: 1])
        #expect(received.all == [[ExactString(pair.one)], [ExactString(pair.two)]])
        withExtendedLifetime(listening) {}
    }

    @Test(arguments: pairs)
    func keysInICloudAreIndependent(_ pair: Pair) throws {
        let fake = FakeUbiquitousStore()
        let store = SharedUbiquitousStore(fake)
        let received = Recorder<PropertyListValue?>()
        let listening = store.addUpdateListener(forKey: pair.two, updateListener: received.append)
        try store.storeValue(.integer(1), key: pair.one)
        #expect(received.count == 0)
        try store.storeValue(.integer(2), key: pair.two)
        #expect(received.all == [.integer(2)])
        withExtendedLifetime(listening) {}
    }
}

#if os(Linux)
/// Equivalent keys of user defaults, whose files Foundation reads and writes as well.
struct NormalFormsOfDefaultsTests {
    private let suite: TemporarySuite
    private let domain: FileDefaultsDomain

    init() throws {
        suite = try TemporarySuite()
        domain = suite.makeDomain()
    }

    @Test(arguments: NormalFormsTests.pairs)
    func valuesAreIndependent(_ pair: NormalFormsTests.Pair) throws {
        let storage = UserDefaultsStorage(suite.defaults)
        let (one, two) = (
            Persister<Int?>(key: pair.one, storedBy: storage),
            Persister<Int?>(key: pair.two, storedBy: storage)
        )
        let received = [Recorder<Int?>(), Recorder<Int?>()]
        let listening = zip([one, two], received).map { persister, received in
            persister.addUpdateListener { received.append(try? $0.get().newValue) }
        }
        try one.persist(1)
        #expect(one.retrieveValue() == 1)
        #expect(two.retrieveValue() == nil)
        try two.persist(2)
        #expect([one.retrieveValue(), two.retrieveValue()] == [1, 2])
        suite.defaults.set(0, forKey: "plain")
        try two.persist(3)
        #expect([one.retrieveValue(), two.retrieveValue()] == [1, 3])
        #expect(suite.defaults.integer(forKey: pair.one) == 1)
        #expect(suite.defaults.integer(forKey: pair.two) == 3)
        #expect(try storage.keys.map(ExactString.init).count == 3)
        try one.removeValue()
        #expect([one.retrieveValue(), two.retrieveValue()] == [nil, 3])
        #expect(received.map(\.all) == [[1, nil], [2, 3]])
        for token in listening { token.dispose() }
    }

    /// The values of the file, found byte by byte.
    private func number(_ key: String) throws -> PropertyListValue? {
        let data = try #require(FileManager.default.contents(atPath: suite.path))
        return try DefaultsFile(data, stamp: nil).values[ExactString(key)]
    }

    @Test(arguments: NormalFormsTests.pairs)
    func writeOfManyKeysKeepsBoth(_ pair: NormalFormsTests.Pair) throws {
        try domain.setValue(.integer(1), forKey: pair.one)
        try domain.setValue(.integer(2), forKey: pair.two)
        let data = try #require(FileManager.default.contents(atPath: suite.path))
        let file = try DefaultsFile(data, stamp: nil)
        #expect(file.values.count == 2)
        var changes: [ExactString: PropertyListValue?] = [:]
        for number in 0..<20 { changes[ExactString("\(number)")] = .integer(Int64(number)) }
        _ = try file.replaced(with: changes, at: suite.path)
        #expect(try number(pair.one) == .integer(1))
        #expect(try number(pair.two) == .integer(2))
        #expect(try suite.makeDomain().keys().count == 22)
    }

    @Test(arguments: NormalFormsTests.pairs)
    func savingValuesOfPlainCallsKeepsBoth(_ pair: NormalFormsTests.Pair) throws {
        try domain.setValue(.integer(1), forKey: pair.one)
        try domain.setValue(.integer(2), forKey: pair.two)
        suite.defaults.set(0, forKey: "plain")
        #expect(try domain.value(forKey: pair.one) == .integer(1))
        #expect(try domain.value(forKey: pair.two) == .integer(2))
        suite.defaults.set(0, forKey: "other")
        try domain.setValue(.integer(3), forKey: "other")
        #expect(try number(pair.one) == .integer(1))
        #expect(try number(pair.two) == .integer(2))
        #expect(try domain.keys().count == 4)
    }

    @Test func binaryFileKeepsBoth() throws {
        let pair = NormalFormsTests.pairs[0]
        let values = [pair.one: PropertyListValue.integer(1), "\u{3b1}\u{3b2}": .integer(2)]
        try suite.replaceFile(values, format: .binary)
        var data = try #require(FileManager.default.contents(atPath: suite.path))
        // No encoder of a Swift dictionary writes both keys, so the second takes the place of
        // another with the same number of units.
        let (old, new) = (Data([0x03, 0xb1, 0x03, 0xb2]), Data([0x00, 0x65, 0x03, 0x01]))
        data.replaceSubrange(try #require(data.range(of: old)), with: new)
        try suite.replaceFile(data)
        #expect(try domain.value(forKey: pair.one) == .integer(1))
        #expect(try domain.value(forKey: pair.two) == .integer(2))
        try domain.setValue(.integer(3), forKey: "other")
        #expect(try domain.value(forKey: pair.one) == .integer(1))
        #expect(try domain.value(forKey: pair.two) == .integer(2))
    }

    @Test func suitesWithEquivalentNamesAreTwoSuites() throws {
        let names = ["\(suite.name).\u{e9}", "\(suite.name).e\u{301}"]
        let values = try names.map { name in
            let defaults = try #require(UserDefaults(suiteName: name))
            TemporarySuite.prepareDomain(at: DefaultsLocation(suiteName: name), defaults)
            let storage = try #require(UserDefaultsStorage(suiteName: name))
            return Persister<Int?>(key: "a", storedBy: storage)
        }
        for (index, value) in values.enumerated() { try value.persist(index) }
        #expect(values.map { $0.retrieveValue() } == [0, 1])
        #expect(suite.entries.count == 2)
        for value in values { try value.removeValue() }
    }

    /// Random writes of equivalent keys, while plain calls set another key.
    @Test(arguments: RandomTestSettings(seeds: 3).seeds)
    func randomWritesAgreeWithTableOfBytes(seed: Seed) throws {
        var generator = SplitMix64(seed: seed)
        let keys = NormalFormsTests.pairs.flatMap { [$0.one, $0.two] }
        let storage = UserDefaultsStorage(suite.defaults)
        let persisters = keys.map { Persister<Int?>(key: $0, storedBy: storage) }
        var model: [[UInt8]: Int] = [:]
        for step in 0..<40 {
            let index = Int.random(in: keys.indices, using: &generator)
            let value: Int? = Int.random(in: 0..<4, using: &generator) == 0 ? nil : step
            if Bool.random(using: &generator) { suite.defaults.set(step, forKey: "plain") }
            try persisters[index].persist(value)
            model[Array(keys[index].utf8)] = value
            for (key, persister) in zip(keys, persisters) {
                #expect(
                    persister.retrieveValue() == model[Array(key.utf8)],
                    "\(seed), step \(step)"
                )
            }
        }
    }
}
#endif
