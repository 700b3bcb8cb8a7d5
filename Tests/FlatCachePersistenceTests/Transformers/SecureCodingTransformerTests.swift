import Foundation
import Testing

@testable import FlatCachePersistence

final class Account: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    let name: String
    let balance: Double
    let age: Int
    let isOpen: Bool
    let home: NSURL?
    let tags: NSArray?
    let parent: Account?

    init(_ name: String, tags: [String] = [], parent: Account? = nil) {
        self.name = name
        balance = 1.25
        age = -7
        isOpen = true
        home = NSURL(string: "https://example.org/a")
        self.tags = NSArray(array: tags.map { NSString(string: $0) })
        self.parent = parent
    }

    func encode(with coder: NSCoder) {
        coder.encode(NSString(string: name), forKey: "name")
        coder.encode(balance, forKey: "balance")
        coder.encode(age, forKey: "age")
        coder.encode(isOpen, forKey: "isOpen")
        coder.encode(home, forKey: "home")
        coder.encode(tags, forKey: "tags")
        coder.encode(parent, forKey: "parent")
    }

    init?(coder: NSCoder) {
        guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
        self.name = "\(name)"
        balance = coder.decodeDouble(forKey: "balance")
        age = coder.decodeInteger(forKey: "age")
        isOpen = coder.decodeBool(forKey: "isOpen")
        home = coder.decodeObject(of: NSURL.self, forKey: "home")
        tags = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "tags") as? NSArray
        parent = coder.decodeObject(of: Account.self, forKey: "parent")
    }
}

/// An object that archives fields of other classes than an account has.
final class Impostor: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    override init() {}
    init?(coder: NSCoder) {}
    func encode(with coder: NSCoder) {
        coder.encode(NSDate(), forKey: "name")
        coder.encode(NSString(string: "x"), forKey: "balance")
    }
}

/// An object that records its initialization from an archive, which must not happen unrequested.
final class Stowaway: NSObject, NSSecureCoding {
    static let arrivals = Recorder<Int>()

    static var supportsSecureCoding: Bool { true }
    override init() {}
    init?(coder: NSCoder) { Self.arrivals.append(1) }
    func encode(with coder: NSCoder) {}
}

/// An object that archives an unrequested object under the key of an account's parent.
final class Smuggler: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    override init() {}
    init?(coder: NSCoder) {}
    func encode(with coder: NSCoder) {
        coder.encode(NSString(string: "x"), forKey: "name")
        coder.encode(Stowaway(), forKey: "parent")
    }
}

/// An object that decodes a field without a class.
final class Careless: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let name: NSString?

    init(_ name: NSString?) { self.name = name }

    init?(coder: NSCoder) { name = coder.decodeObject(forKey: "name") as? NSString }

    func encode(with coder: NSCoder) { coder.encode(name, forKey: "name") }
}

@Suite struct SecureCodingTransformerTests {
    private let transformer = SecureCodingTransformer<Account>()

    @Test func objectRoundTrips() throws {
        let parent = Account("p")
        let account = Account("Ann", tags: ["a", "b"], parent: parent)
        let read = try transformer.untransformValue(transformer.transformValue(Archived(account)))
        #expect(read.object.name == "Ann")
        #expect(read.object.balance == 1.25 && read.object.age == -7 && read.object.isOpen)
        #expect(read.object.home?.absoluteString == "https://example.org/a")
        #expect(read.object.tags == ["a", "b"] as NSArray)
        #expect(read.object.parent?.name == "p")
        #expect(read.object.parent?.parent == nil)
    }

    @Test func foundationObjectsRoundTrip() throws {
        func check<Object: NSObject & NSSecureCoding>(_ object: Object) throws {
            let transformer = SecureCodingTransformer<Object>()
            let read = try transformer.untransformValue(
                try transformer.transformValue(Archived(object))
            )
            #expect(read == Archived(object))
        }
        try check(NSString(string: "text"))
        try check(NSNumber(value: 5))
        try check(NSNumber(value: true))
        try check(NSDate(timeIntervalSinceReferenceDate: 1.5))
        try check(NSData(data: Data([1, 2])))
        try check(NSUUID())
        try check(NSMutableString(string: "mutable"))
        let url = try #require(NSURL(string: "a", relativeTo: URL(string: "https://example.org/")))
        try check(url)
    }

    @Test func anotherClassIsAnError() throws {
        let text = try SecureCodingTransformer<NSString>().transformValue(Archived("x"))
        #expect(throws: (any Error).self) { try transformer.untransformValue(text) }
        let date = try SecureCodingTransformer<NSDate>().transformValue(Archived(NSDate()))
        #expect(throws: (any Error).self) { try transformer.untransformValue(date) }
        let account = try transformer.transformValue(Archived(Account("x")))
        #expect(throws: (any Error).self) {
            try SecureCodingTransformer<NSDate>().untransformValue(account)
        }
    }

    @Test func fieldOfAnotherClassIsAnError() throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.setClassName(NSStringFromClass(Account.self), for: Impostor.self)
        archiver.encode(Impostor(), forKey: NSKeyedArchiveRootObjectKey)
        archiver.finishEncoding()
        #expect(throws: (any Error).self) {
            try transformer.untransformValue(archiver.encodedData)
        }
    }

    @Test func unrequestedObjectIsNotInitialized() throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.setClassName(NSStringFromClass(Account.self), for: Smuggler.self)
        archiver.encode(Smuggler(), forKey: NSKeyedArchiveRootObjectKey)
        archiver.finishEncoding()
        #expect(throws: (any Error).self) {
            try transformer.untransformValue(archiver.encodedData)
        }
        #expect(Stowaway.arrivals.count == 0)
    }

    #if !canImport(Darwin)
    @Test func errorNamesTheKeyThatIsDecodedWithoutAClass() throws {
        let transformer = SecureCodingTransformer<Careless>()
        let archive = try transformer.transformValue(Archived(Careless("Ann")))
        let error = try #require(throws: ArchiveError.self) {
            try transformer.untransformValue(archive)
        }
        #expect(error.description.contains("'name'"))
        #expect(error.description.contains("decodeObject(of:forKey:)"))
        let nameless = try transformer.transformValue(Archived(Careless(nil)))
        #expect(try transformer.untransformValue(nameless).object.name == nil)
    }

    @Test func nestedClassIsAnError() throws {
        final class Local: NSObject, NSSecureCoding {
            static var supportsSecureCoding: Bool { true }
            override init() {}
            init?(coder: NSCoder) {}
            func encode(with coder: NSCoder) {}
        }
        let error = try #require(throws: ArchiveError.self) {
            try SecureCodingTransformer<Local>().transformValue(Archived(Local()))
        }
        #expect(error.description.contains("setClassName"))
    }
    #endif

    @Test func dataOtherThanAnArchiveIsAnError() throws {
        for data in [Data(), Data("x".utf8), Data("<plist><dict/></plist>".utf8)] {
            #expect(throws: (any Error).self) { try transformer.untransformValue(data) }
        }
        let list = try PropertyListTransformer<[String]>(outputFormat: .binary).transformValue(["a"]
        )
        #expect(throws: (any Error).self) { try transformer.untransformValue(list) }
    }

    @Test func persisterKeepsObjects() throws {
        let persister = Persister(
            key: "a",
            storedBy: InMemoryStorage<String, Data>(),
            transformer: transformer,
            defaultValue: Archived(Account("nobody"))
        )
        #expect(persister.retrieveValue().object.name == "nobody")
        try persister.persist(Archived(Account("Ann")))
        #expect(try persister.retrieveValueOrThrow().object.name == "Ann")
    }
}
