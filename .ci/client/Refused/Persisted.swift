// The line after a mark must be an error with the text of the mark. No other line can be an error.
import FlatCachePersistence
import Foundation

struct Account: Codable, Equatable, Sendable {
    var name = ""
}

let file = URL(filePath: "/tmp/file")

struct WithoutADefault: Sendable {
    // error: add '= value' to the property
    @Persisted(key: "a", userDefaults: .standard) var a: String
    // error: add '= value' to the property
    @Persisted(key: "b", userDefaults: .standard, transformer: JSONTransformer())
    var b: Account
    // error: add '= value' to the property
    @Persisted(file: file, transformer: JSONTransformer()) var c: Account
    // error: add '= value' to the property
    @Persisted(file: file) var d: Data
    // error: add '= value' to the property
    @Persisted(key: file, storedBy: FileStorage(durability: .durable)) var e: Data
}

// error: 'defaultValue: value' to the arguments
let name = Persister<String>(key: "name", userDefaults: .standard)
// error: 'defaultValue: value' to the arguments
let note = Persister<Data>(file: file)
// error: 'defaultValue: value' to the arguments
let draft = Persister<Account>(file: file, transformer: JSONTransformer())
// error: 'defaultValue: value' to the arguments
let token = Persister<Data>(key: "token", storedBy: InMemoryStorage<String, Data>())

struct OfAFormThatTheStorageDoesNotHold: Sendable {
    // error: add 'transformer: JSONTransformer()'
    @Persisted(key: "a", userDefaults: .standard) var a: Set<String> = []
    // error: add 'transformer: JSONTransformer()'
    @Persisted(file: file) var b = Account()
    // error: 'Int' and 'Data'
    @Persisted(file: file, transformer: RawRepresentableTransformer()) var c = Kind.paper
    // error: add 'transformer: JSONTransformer()'
    @Persisted(key: "d", userDefaults: .standard) var d: Account?
    // error: 'RawRepresentableTransformer()' for raw values
    @Persisted(key: "e", userDefaults: .standard) var e = Kind.paper
    // error: 'RawRepresentableTransformer()' for raw values
    @Persisted(key: "f", userDefaults: .standard) var f: Kind?
    // error: add 'transformer: JSONTransformer()'
    @Persisted(key: "g", userDefaults: .standard, defaultValue: Account()) var g: Account
    // error: add 'transformer: JSONTransformer()'
    @Persisted(file: file, defaultValue: Account()) var h: Account
    // error: add 'transformer: JSONTransformer()'
    @Persisted(file: file) var i: Account?
    // error: add 'transformer: JSONTransformer()'
    @Persisted(file: file) var j: Account? = nil
}

// error: add 'transformer: JSONTransformer()'
let account = Persister(key: "account", userDefaults: .standard, defaultValue: Account())
// error: 'RawRepresentableTransformer()' for raw values
let kind = Persister(key: "kind", userDefaults: .standard, defaultValue: Kind.paper)
// error: add 'transformer: JSONTransformer()'
let lastAccount = Persister<Account?>(file: file)
// error: add 'transformer: JSONTransformer()'
let session = Persister(
    key: "session",
    storedBy: InMemoryStorage<String, Data>(),
    defaultValue: Account()
)

struct OfNoStorage: Sendable {
    // error: requires that 'Int' conform to 'StorageConvertible'
    @Persisted(key: "a", storedBy: 5) var a = 1
}

// error: cannot convert value of type 'Int' to expected argument type 'String'
let visits = Persister(key: 5, defaultValue: 1)

enum Kind: Int, Sendable { case paper }

// error: 'Data' and 'Account'
let chain = JSONTransformer<Account>().append(JSONTransformer<Account>())

extension KeyValueStorage {
    var theme: KeyValueContainer<String> { makeContainer(defaultValue: "light") }
    // error: redeclaration
    var theme: KeyValueContainer<Int> { makeContainer(defaultValue: 1) }
    // error: write 'makeContainer(defaultValue: value)', or make it a container of an optional
    var visits: KeyValueContainer<Int> { makeContainer() }
    // error: write 'makeContainer(defaultValue: value)', or make it a container of an optional
    var account: KeyValueContainer<Account> { makeContainer() }
}
